import { createHash } from 'node:crypto';
import type { ScheduleSummary } from '../client/describe/schedule-description';

/**
 * The ETag of a schedule, computed from its version, the times of its creation and last update, its labels, and whether
 * it is paused. When a pause ends by itself, the ETag changes at once, even if no trigger has recorded that yet. The
 * remaining actions follow after a dot.
 */
export function etagOf(schedule: ScheduleSummary): string {
  const { info, state, owner, runbook, externalId, memo, typedSearchAttributes, searchAttributes } = schedule;
  const { version, createdAt, lastUpdatedAt } = info;
  const labels = { owner, runbook, externalId, memo, searchAttributes, typedSearchAttributes };
  const written = JSON.stringify([createdAt, lastUpdatedAt, labels, state.paused]);
  const remaining = state.remainingActions === undefined ? '' : `.${state.remainingActions}`;
  return `"${version}-${createHash('sha256').update(written).digest('base64url').slice(0, 12)}${remaining}"`;
}

/**
 * A proxy that compresses an answer makes its ETag weak, `W/"…"`, or adds a suffix, `"…-gzip"`. Since an ETag stands for
 * a version, both are ignored.
 */
export function splitEtag(etag: string): { remainingActions: number | undefined; definition: string } {
  const [, definition, remaining] = /^(?:W\/)?("\d+-[\w-]{12})(?:\.(\d+))?(?:[^\w."][^"]*)?"$/.exec(etag) ?? [];
  return { definition: definition ?? etag, remainingActions: remaining === undefined ? undefined : Number(remaining) };
}
