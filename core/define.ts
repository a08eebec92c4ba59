/**
 * `defineSchedule` and the types of a schedule, without I/O: workflow code may import it too.
 *
 * @packageDocumentation
 */

import type { Workflow } from '@temporalio/common';
import { refuseUnknownFields } from './definition/schedule-fields';
import { InvalidScheduleError } from './errors';
import type { ScheduleOptionsStartWorkflowAction } from './schedule/action';
import type { ScheduleOptions } from './schedule/options';

/**
 * Declare a schedule in code, with arguments typed by the workflow. The function does no I/O and can be imported
 * anywhere, including the workflow sandbox. Of the schedule, the function checks only the names of its fields and of
 * those in `action`, `policies` and `state`. `client.create`, which accepts the result, checks the rest.
 *
 * @throws {InvalidScheduleError} for an unknown field, or if `options` is not an object
 * @see `docs/schedules.md`
 */
export function defineSchedule<W extends Workflow>(
  options: ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>>,
): ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>> {
  if (typeof options !== 'object' || options === null) throw new InvalidScheduleError('options', 'is not a schedule');
  refuseUnknownFields(options);
  return options;
}

export type { AlertRules, ScheduleAlerts } from './alert-rules';
export type { ScheduleAction, ScheduleOptionsAction, ScheduleOptionsStartWorkflowAction } from './schedule/action';
export type {
  BackfillRange,
  ScheduleInitialState,
  ScheduleLabels,
  ScheduleOptions,
  ScheduleUpdateOptions,
  ScheduleUpdateState,
} from './schedule/options';
export type { OverlapPolicy, SchedulePolicies } from './schedule/policies';
export type {
  CalendarSpec,
  CalendarSpecDescription,
  DstPolicy,
  IntervalSpec,
  IntervalSpecDescription,
  ScheduleSpec,
  ScheduleSpecDescription,
} from './schedule/spec';
