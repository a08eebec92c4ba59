import { didYouMean } from '../closest';
import { InvalidScheduleError } from '../errors';

/**
 * Names of the fields of a schedule, for code that must not load the whole validation, such as the workflow sandbox. A
 * test compares these names with the validation.
 */
export const SCHEDULE_FIELDS: Readonly<Record<'options' | 'action' | 'policies' | 'state', readonly string[]>> = {
  options: [
    ...['scheduleId', 'spec', 'action', 'policies', 'state', 'memo', 'searchAttributes', 'typedSearchAttributes'],
    ...['namespace', 'tenant', 'owner', 'runbook', 'externalId', 'definition', 'info', 'source', 'raw'],
  ],
  action: [
    ...['type', 'workflowType', 'taskQueue', 'args', 'workflowId', 'retry', 'workflowExecutionTimeout'],
    ...['workflowRunTimeout', 'workflowTaskTimeout', 'memo', 'searchAttributes', 'typedSearchAttributes'],
    ...['staticSummary', 'staticDetails', 'priority', 'softTimeout'],
  ],
  policies: [
    ...['overlap', 'catchupWindow', 'catchupLimit', 'pauseOnFailure', 'onUncertain', 'preStart', 'maxConcurrent'],
    ...['parkedHolds', 'parkedAtMost', 'alerts'],
  ],
  state: [
    ...['paused', 'note', 'remainingActions', 'triggerImmediately', 'backfill', 'completed', 'completedAt'],
    ...['completedBy', 'pausedAt', 'pausedBy', 'pausedUntil', 'specError', 'setAsideAt', 'shadow'],
  ],
};

/** Refuse unknown fields of a schedule, its action, policies and state. @throws {InvalidScheduleError} with the path */
export function refuseUnknownFields(options: object): void {
  refuse(options, 'options', '');
  for (const part of ['action', 'policies', 'state'] as const) {
    const given = (options as Record<string, unknown>)[part];
    if (typeof given === 'object' && given !== null) refuse(given, part, `${part}.`);
  }
}

function refuse(given: object, part: keyof typeof SCHEDULE_FIELDS, at: string): void {
  const known = SCHEDULE_FIELDS[part];
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    throw new InvalidScheduleError(
      `${at}${name}`,
      `is not a field here; ${known.join(', ')} are${didYouMean(name, known)}`,
    );
  }
}
