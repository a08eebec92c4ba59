import { createHash } from 'node:crypto';
import type { ScheduleSummary } from '../client/describe/schedule-description';

/**
 * The ETag of a schedule. The ETag changes with the definition, with the state as users set it, and with the labels. A
 * firing does not change the ETag.
 */
export function etagOf(schedule: ScheduleSummary): string {
  const { info, owner, runbook, externalId, memo, typedSearchAttributes, searchAttributes } = schedule;
  const { version, createdAt, lastUpdatedAt } = info;
  const labels = { owner, runbook, externalId, memo, searchAttributes, typedSearchAttributes };
  const written = JSON.stringify([createdAt, lastUpdatedAt, labels]);
  return `"${version}-${createHash('sha256').update(written).digest('base64url').slice(0, 12)}"`;
}
