import type { Workflow } from '@temporalio/common';
import { refuseUnknownFields } from './definition/schedule-fields';
import { InvalidScheduleError } from './errors';
import type { ScheduleOptions, ScheduleOptionsStartWorkflowAction } from './schedule';

/**
 * Declare a schedule in code, with arguments typed by the workflow. It does no I/O and can be imported anywhere,
 * including the workflow sandbox. `client.create` accepts the result, and validates the rest.
 *
 * @throws {InvalidScheduleError} for an unknown field
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
