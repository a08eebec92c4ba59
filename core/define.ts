import type { Workflow } from '@temporalio/common';
import { refuseUnknownFields } from './definition/schedule-fields';
import { InvalidScheduleError } from './errors';
import type { ScheduleOptions, ScheduleOptionsStartWorkflowAction } from './schedule';

/**
 * A schedule declared in code, its arguments typed by the workflow. No I/O: importable from anywhere, the workflow
 * sandbox too; `client.create` takes it, and checks the rest of it.
 *
 * @throws {InvalidScheduleError} for a field that there is not
 * @see `docs/schedules.md`
 */
export function defineSchedule<W extends Workflow>(
  options: ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>>,
): ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>> {
  if (typeof options !== 'object' || options === null) throw new InvalidScheduleError('options', 'is no schedule');
  refuseUnknownFields(options);
  return options;
}

export type { AlertRules, ScheduleAlerts } from './alert-rules';
export type {
  BackfillRange,
  CalendarSpec,
  CalendarSpecDescription,
  DstPolicy,
  IntervalSpec,
  IntervalSpecDescription,
  OverlapPolicy,
  ScheduleAction,
  ScheduleInitialState,
  ScheduleLabels,
  ScheduleOptions,
  ScheduleOptionsAction,
  ScheduleOptionsStartWorkflowAction,
  SchedulePolicies,
  ScheduleSpec,
  ScheduleSpecDescription,
  ScheduleUpdateOptions,
  ScheduleUpdateState,
} from './schedule';
