import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { EncodedPayload } from '../../core/definition/definition';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';
import type { Store } from '../connection';

export interface StoredLabels {
  memo: Record<string, EncodedPayload> | null;
  searchAttributes: StoredSearchAttributes | null;
  owner: string | null;
  /** A link to the run-book for the schedule's failures. */
  runbook: string | null;
  /** The schedule's ID in another system. */
  externalId: string | null;
}

export const LABELS = sql`s.memo, s.search_attributes as "searchAttributes", s.owner, s.runbook, s.external_id as "externalId"`;

export function areSameLabels(one: StoredLabels, other: StoredLabels): boolean {
  const parts = ['memo', 'searchAttributes', 'owner', 'runbook', 'externalId'] as const;
  return parts.every((part) => isDeepStrictEqual(one[part], other[part]));
}

/** New labels of a schedule: undefined keeps the old value, and an empty value removes it. */
export interface Labels {
  scheduleId: string;
  memo: Record<string, EncodedPayload> | undefined;
  searchAttributes: StoredSearchAttributes | undefined;
  owner: string | undefined;
  runbook: string | undefined;
  externalId: string | undefined;
}

/** The caller has locked the schedules, or creates them in the same transaction. */
export async function writeLabels(transaction: Store, labels: Labels[]): Promise<void> {
  const given = labels.filter(({ scheduleId, ...fields }) =>
    Object.values(fields).some((field) => field !== undefined),
  );
  if (given.length === 0) return;
  const column = (key: 'memo' | 'searchAttributes') =>
    given.map((row) => (row[key] === undefined ? null : JSON.stringify(row[key])));
  const text = (key: 'owner' | 'runbook' | 'externalId') => given.map((row) => row[key] ?? null);
  await sql`update ${transaction.table('schedules')} s
    set memo = case when x.memo is null then s.memo else nullif(x.memo::jsonb, '{}') end,
      search_attributes = case when x.search_attributes is null then s.search_attributes
        else nullif(x.search_attributes::jsonb, '{}') end,
      owner = case when x.owner is null then s.owner else nullif(x.owner, '') end,
      runbook = case when x.runbook is null then s.runbook else nullif(x.runbook, '') end,
      external_id = case when x.external_id is null then s.external_id else nullif(x.external_id, '') end
    from unnest(${given.map((row) => row.scheduleId)}::text[], ${column('memo')}::text[],
      ${column('searchAttributes')}::text[], ${text('owner')}::text[], ${text('runbook')}::text[], ${text('externalId')}::text[])
      as x (schedule_id, memo, search_attributes, owner, runbook, external_id)
    where s.schedule_id = x.schedule_id`.execute(transaction.db);
}
