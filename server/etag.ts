import { createHash } from 'node:crypto';
import type { ScheduleSummary } from '../client/describe/schedule-description';

/**
 * The version of a schedule as HTTP has it: of its definition, its state as writers set it and its labels, but not of what becomes of
 * it by itself.
 */
export function etagOf(schedule: ScheduleSummary): string {
  const { info, owner, runbook, externalId, memo, typedSearchAttributes, searchAttributes } = schedule;
  const { version, createdAt, lastUpdatedAt } = info;
  const labels = { owner, runbook, externalId, memo, searchAttributes, typedSearchAttributes };
  const written = JSON.stringify([createdAt, lastUpdatedAt, labels]);
  return `"${version}-${createHash('sha256').update(written).digest('base64url').slice(0, 12)}"`;
}
