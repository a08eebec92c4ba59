import type { Workflow } from '@temporalio/common';
import type { ScheduleOptions, ScheduleOptionsStartWorkflowAction } from './schedule';

/**
 * A schedule declared in code, its arguments typed by the workflow. No I/O: importable from anywhere, the workflow
 * sandbox too; `client.create` takes it.
 *
 * @see `docs/schedules.md`
 */
export function defineSchedule<W extends Workflow>(
  options: ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>>,
): ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>> {
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
  ScheduleLabels,
  ScheduleOptions,
  ScheduleOptionsAction,
  ScheduleOptionsStartWorkflowAction,
  SchedulePolicies,
  ScheduleSpec,
  ScheduleUpdateOptions,
  ScheduleUpdateState,
} from './schedule';
