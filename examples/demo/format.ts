import type { Firing } from 'escapement';
import type { Totals } from './totals';

/** Link to a workflow in Temporal's Web UI, or its ID if there is no UI. */
export function linkOf(firing: Firing, uiUrl: string | undefined): string {
  if (!firing.workflowId) return '';
  if (!uiUrl) return firing.workflowId;
  const workflow = `${uiUrl}/namespaces/${firing.namespace}/workflows/${encodeURIComponent(firing.workflowId).replaceAll('%3A', ':')}`;
  return firing.runId ? `${workflow}/${firing.runId}/history` : workflow;
}

/** Delay from the nominal time of a firing until the ledger recorded its start; still growing before that. */
export function lagOf(firing: Firing, now = Date.now()): string {
  if (firing.state === 'skipped') return '-';
  const reached = firing.linkedAt?.getTime() ?? now;
  return `${Math.max(0, (reached - firing.scheduledTime.getTime()) / 1_000).toFixed(2)} s`;
}

/** `closed`, or `closed, recovered` for a firing that another trigger has recovered. */
export function stateOf(firing: Firing): string {
  return firing.recovery ? `${firing.state}, recovered` : firing.state;
}

/** Hours, minutes and seconds in UTC. */
export function clock(instant: Date): string {
  return instant.toISOString().slice(11, 19);
}

/** `bill-usage 12:00:05`. */
export function nameOf(firing: Firing): string {
  return `${firing.scheduleId} ${clock(firing.scheduledTime)}`;
}

export function statusOf({ claimed, linked, closed, recovered, open }: Totals): string {
  return `claimed ${claimed}, linked ${linked}, closed ${closed}, recovered ${recovered}, open ${open}`;
}
