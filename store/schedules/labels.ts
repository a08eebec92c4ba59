import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { EncodedPayload } from '../../core/definition';
import type { StoredSearchAttributes } from '../../core/search-attributes';
import type { Store } from '../connection';

/** Memo and search attributes of a schedule itself, as they are stored. */
export interface StoredLabels {
  memo: Record<string, EncodedPayload> | null;
  searchAttributes: StoredSearchAttributes | null;
}

/** Whether nobody wrote other labels since they were read. */
export function areSameLabels(one: StoredLabels, other: StoredLabels): boolean {
  return isDeepStrictEqual(one.memo, other.memo) && isDeepStrictEqual(one.searchAttributes, other.searchAttributes);
}

/** Memo and search attributes of a schedule itself; undefined leaves what is there. */
export interface Labels {
  scheduleId: string;
  memo: Record<string, EncodedPayload> | undefined;
  searchAttributes: StoredSearchAttributes | undefined;
}

/** Write the labels of live schedules, under their locks or in the transaction that makes them. An empty one is none. */
export async function writeLabels(transaction: Store, labels: Labels[]): Promise<void> {
  const given = labels.filter(({ memo, searchAttributes }) => memo || searchAttributes);
  if (given.length === 0) return;
  const column = (key: 'memo' | 'searchAttributes') =>
    given.map((row) => (row[key] === undefined ? null : JSON.stringify(row[key])));
  await sql`update ${transaction.table('schedules')} s
    set memo = case when x.memo is null then s.memo else nullif(x.memo::jsonb, '{}') end,
      search_attributes = case when x.search_attributes is null then s.search_attributes
        else nullif(x.search_attributes::jsonb, '{}') end
    from unnest(${given.map((row) => row.scheduleId)}::text[], ${column('memo')}::text[],
      ${column('searchAttributes')}::text[]) as x (schedule_id, memo, search_attributes)
    where s.schedule_id = x.schedule_id`.execute(transaction.db);
}
