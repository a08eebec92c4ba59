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
 * The workflow ID of a firing: a pure function of its key, and for a spec's occurrence the very ID that Temporal's own
 * Schedules give it, so that both may run side by side without doubling.
 */
export function workflowIdOf(identity: WorkflowIdentity): string {
  const base = identity.workflowId ?? `${identity.scheduleId}-workflow`;
  const instant = identity.scheduledTime.toISOString();
  const manual = identity.kind === 'manual' ? `-manual-${instant.slice(-4, -1)}` : '';
  const restart = identity.epoch > 0 ? `-restart-${identity.epoch}` : '';
  return `${base}-${instant.replace(/\.\d{3}Z$/, 'Z')}${manual}${restart}`;
}

const LONGEST_PREFIX_BYTES = 900;

/**
 * The prefix of a schedule's workflow IDs as it is stored. One that a schedule of a tenant names gets the tenant at its end,
 * so that no tenant can take the workflow IDs of another. The default is unlike all of these, and unique by the schedule's
 * ID; what has no tenant keeps the prefix as Temporal's own Schedules have it.
 *
 * @throws {InvalidScheduleError} for one that is too long by then
 */
export function workflowIdPrefix(scheduleId: string, tenant: string, given: string | undefined): string | undefined {
  if (given === undefined || tenant === '' || given === `${scheduleId}-workflow`) return given;
  const scope = `[${encodeURIComponent(tenant)}]`;
  const prefix = given.endsWith(scope) ? given : `${given}${scope}`;
  if (Buffer.byteLength(prefix) <= LONGEST_PREFIX_BYTES) return prefix;
  throw new InvalidScheduleError(
    'action.workflowId',
    `is longer than ${LONGEST_PREFIX_BYTES} bytes with '${scope}' at its end`,
  );
}

/**
 * The request ID of a firing's start: Temporal returns the same run for it however often the start is called.
 *
 * @param installationId UUID of this database's installation, so that two databases never share a request
 */
export function requestIdOf(installationId: string, key: FiringKey, epoch: number): string {
  return uuidv5(JSON.stringify([key.scheduleId, key.scheduledTime.toISOString(), epoch]), installationId);
}

/** The request ID of a firing's cancel, so that asking twice cancels once. */
export function cancelRequestIdOf(installationId: string, key: FiringKey, epoch: number): string {
  return uuidv5(JSON.stringify(['cancel', key.scheduleId, key.scheduledTime.toISOString(), epoch]), installationId);
}
