import { v5 as uuidv5 } from 'uuid';
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
