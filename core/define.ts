import type { Workflow } from '@temporalio/common';
import type { ScheduleOptions } from './schedule';

/**
 * A schedule declared in code, its arguments typed by the workflow. No I/O: importable from anywhere, the workflow
 * sandbox too; `client.create` takes it.
 *
 * @see `docs/schedules.md`
 */
export function defineSchedule<W extends Workflow>(options: ScheduleOptions<W>): ScheduleOptions<W> {
  return options;
}

export type {
  BackfillRange,
  CalendarSpec,
  DstPolicy,
  IntervalSpec,
  OverlapPolicy,
  ScheduleAction,
  ScheduleInitialState,
  ScheduleOptions,
  SchedulePolicies,
  ScheduleSpec,
  ScheduleUpdateOptions,
  ScheduleUpdateState,
} from './schedule';
