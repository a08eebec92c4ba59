import { createHash } from 'node:crypto';
import type { ScheduleSummary } from '../client/describe/schedule-description';

/** The ETag of a schedule, computed from its version, the times of its creation and last update, and its labels. */
export function etagOf(schedule: ScheduleSummary): string {
  const { info, owner, runbook, externalId, memo, typedSearchAttributes, searchAttributes } = schedule;
  const { version, createdAt, lastUpdatedAt } = info;
  const labels = { owner, runbook, externalId, memo, searchAttributes, typedSearchAttributes };
  const written = JSON.stringify([createdAt, lastUpdatedAt, labels]);
  return `"${version}-${createHash('sha256').update(written).digest('base64url').slice(0, 12)}"`;
}
