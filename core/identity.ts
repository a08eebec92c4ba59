import { v5 as uuidv5 } from 'uuid';
import { counted } from './counted';
import { InvalidScheduleError } from './errors';
import type { FiringKey, FiringKind } from './firing';

export interface WorkflowIdentity extends FiringKey {
  /**
   * The prefix from `action.workflowId`; if absent, the schedule's ID and `-workflow`, as in Temporal's own Schedules.
   */
  workflowId?: string;
  kind: FiringKind;
  /** The epoch of the firing. It grows if the firing needs another workflow ID to be restarted or run again. */
  epoch: number;
}

/**
 * The workflow ID of a firing, computed only from the given values. At epoch 0 and with the same prefix, an occurrence
 * has the same workflow ID as in Temporal's own Schedules.
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

/**
 * Maximum length of a workflow ID on a server with Postgres or MySQL, in characters. The server answers a start with a
 * longer ID by an internal error.
 */
const LONGEST_WORKFLOW_ID = 255;
/**
 * The longest suffix that is expected after the prefix of a workflow ID: that of a manual firing restarted up to 9,999
 * times.
 */
const LONGEST_SUFFIX = '-2026-03-01T01:00:00Z-manual-000-restart-9999'.length;
const LONGEST_PREFIX = LONGEST_WORKFLOW_ID - LONGEST_SUFFIX;

/**
 * Refuses a prefix if its workflow IDs could become too long for Temporal on Postgres or MySQL, with the suffix of a
 * restarted manual firing.
 *
 * @param given the prefix from {@link workflowIdPrefix}
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
    `is '${given}', which ${problem}. Shorten it by ${counted(length - LONGEST_PREFIX, 'character')}`,
  );
}

/**
 * The stored prefix of a schedule's workflow IDs. If a tenant's schedule names a prefix, the tenant's name is added to
 * it, so that tenants cannot take each other's workflow IDs. The default prefix contains the schedule's ID, and so is
 * already unique. Without a tenant, the prefix stays as it is, as in Temporal's own Schedules.
 */
export function workflowIdPrefix(scheduleId: string, tenant: string, given: string | undefined): string | undefined {
  if (given === undefined || tenant === '' || given === defaultPrefix(scheduleId)) return given;
  const scope = `[${encodeURIComponent(tenant)}]`;
  return given.endsWith(scope) ? given : `${given}${scope}`;
}

/**
 * The request ID of a firing's start. If start is called again with this request ID, Temporal returns a run of the same
 * chain, as long as it remembers the first call.
 *
 * @param installationId the UUID of the installation, so that two installations never share a request ID
 */
export function requestIdOf(installationId: string, key: FiringKey, epoch: number): string {
  return uuidv5(JSON.stringify([key.scheduleId, key.scheduledTime.toISOString(), epoch]), installationId);
}

/**
 * The request ID of the signal that asks a run whether the letters of its parked steps exist. If several triggers send
 * this signal, the run receives it only once.
 *
 * @param round distinguishes this question from later questions
 */
export function buryRequestIdOf(installationId: string, round: readonly string[]): string {
  return uuidv5(JSON.stringify(['bury', ...round]), installationId);
}

/** Repeated cancellations with this request ID cancel the firing's chain only once. */
export function cancelRequestIdOf(installationId: string, key: FiringKey, epoch: number): string {
  return uuidv5(JSON.stringify(['cancel', key.scheduleId, key.scheduledTime.toISOString(), epoch]), installationId);
}
