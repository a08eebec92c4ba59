import { v5 as uuidv5 } from 'uuid';
import { InvalidScheduleError } from './errors';
import type { FiringKey, FiringKind } from './firing';

/** What the workflow ID of a firing is made of. */
export interface WorkflowIdentity extends FiringKey {
  /** `action.workflowId`; without it the schedule's ID and `-workflow`, as Temporal's own Schedules. */
  workflowId?: string;
  kind: FiringKind;
  /** Grows by each restart of the firing. */
  epoch: number;
}

/**
 * The workflow ID of a firing, a pure function of its key. An occurrence of a spec has the very ID that Temporal's own
 * Schedules give it, so that both may run side by side without doubling.
 */
export function workflowIdOf(identity: WorkflowIdentity): string {
  const base = identity.workflowId ?? defaultPrefix(identity.scheduleId);
  const instant = identity.scheduledTime.toISOString();
  const manual = identity.kind === 'manual' ? `-manual-${instant.slice(-4, -1)}` : '';
  const restart = identity.epoch > 0 ? `-restart-${identity.epoch}` : '';
  return `${base}-${instant.replace(/\.\d{3}Z$/, 'Z')}${manual}${restart}`;
}

function defaultPrefix(scheduleId: string): string {
  return `${scheduleId}-workflow`;
}

/** What a server on Postgres or MySQL keeps of a workflow ID, in characters. It takes a longer one for a fault of its own. */
const LONGEST_WORKFLOW_ID = 255;
/** The longest that comes behind a prefix: more restarts of one firing than these would be no accident. */
const LONGEST_SUFFIX = '-2026-03-01T01:00:00Z-manual-000-restart-9999'.length;
const LONGEST_PREFIX = LONGEST_WORKFLOW_ID - LONGEST_SUFFIX;

/**
 * Refuse what would make a workflow ID that Temporal can't keep, with its time, and as a manual firing that is restarted.
 *
 * @param given the prefix as {@link workflowIdPrefix} returns it
 * @throws {InvalidScheduleError} naming the field that is too long
 */
export function checkWorkflowIdLength(scheduleId: string, given: string | undefined): void {
  const length = [...(given ?? defaultPrefix(scheduleId))].length;
  if (length <= LONGEST_PREFIX) return;
  const problem = `makes workflow IDs of up to ${length + LONGEST_SUFFIX} characters; Temporal on Postgres or MySQL keeps ${LONGEST_WORKFLOW_ID}`;
  if (given === undefined)
    throw new InvalidScheduleError(
      'scheduleId',
      `${problem}. Give action.workflowId, with at most ${LONGEST_PREFIX} characters`,
    );
  throw new InvalidScheduleError(
    'action.workflowId',
    `is '${given}', which ${problem}. Shorten it to ${LONGEST_PREFIX} characters`,
  );
}

/**
 * The prefix of a schedule's workflow IDs as it is stored. A prefix that a tenant's schedule names gets the tenant's name at its end,
 * so that no tenant can take the workflow IDs of another. The default prefix needs no such end: the schedule's ID makes it unique.
 * Without a tenant a prefix stays as it is, as Temporal's own Schedules have it.
 */
export function workflowIdPrefix(scheduleId: string, tenant: string, given: string | undefined): string | undefined {
  if (given === undefined || tenant === '' || given === defaultPrefix(scheduleId)) return given;
  const scope = `[${encodeURIComponent(tenant)}]`;
  return given.endsWith(scope) ? given : `${given}${scope}`;
}

/**
 * The request ID of a firing's start: Temporal returns the same run for it however often the start is called.
 *
 * @param installationId UUID of this database's installation, so that two databases never share a request
 */
export function requestIdOf(installationId: string, key: FiringKey, epoch: number): string {
  return uuidv5(JSON.stringify([key.scheduleId, key.scheduledTime.toISOString(), epoch]), installationId);
}

/**
 * The request ID by which what is parked is asked for its letters, so that several triggers ask a run once.
 *
 * @param round what sets one question apart from the next
 */
export function buryRequestIdOf(installationId: string, round: readonly string[]): string {
  return uuidv5(JSON.stringify(['bury', ...round]), installationId);
}

/** The request ID of a firing's cancel, so that asking twice cancels once. */
export function cancelRequestIdOf(installationId: string, key: FiringKey, epoch: number): string {
  return uuidv5(JSON.stringify(['cancel', key.scheduleId, key.scheduledTime.toISOString(), epoch]), installationId);
}
