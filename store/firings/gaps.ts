import { sql } from 'kysely';
import type { Gap } from '../../core/decisions/catchup';
import type { Store } from '../connection';

/**
 * ∅ → gap: record a range of occurrences that did not fire. An existing gap that begins at the same occurrence is
 * extended, never shortened.
 */
export async function insertGap(transaction: Store, scheduleId: string, gap: Gap, now: Date): Promise<void> {
  await insertGaps(transaction, [{ scheduleId, ...gap }], now);
}

export async function insertGaps(transaction: Store, gaps: (Gap & { scheduleId: string })[], now: Date): Promise<void> {
  if (gaps.length === 0) return;
  await sql`
    insert into ${transaction.table('gaps')} as g (schedule_id, from_time, to_time, count, reason, freeze_id, recorded_at)
    select x.schedule_id, x.from_time, x.to_time, x.count, x.reason, x.freeze_id, ${now}
    from unnest(${gaps.map((gap) => gap.scheduleId)}::text[], ${gaps.map((gap) => new Date(gap.from))}::timestamptz[],
      ${gaps.map((gap) => new Date(gap.to))}::timestamptz[], ${gaps.map((gap) => gap.count)}::bigint[],
      ${gaps.map((gap) => gap.reason)}::text[], ${gaps.map((gap) => gap.freezeId ?? null)}::uuid[])
      as x (schedule_id, from_time, to_time, count, reason, freeze_id)
    on conflict (schedule_id, from_time) do update
      set to_time = excluded.to_time, count = excluded.count, reason = excluded.reason, freeze_id = excluded.freeze_id,
        missed = null
      where g.to_time < excluded.to_time`.execute(transaction.db);
}

export interface RecordedGap {
  scheduleId: string;
  from: Date;
  to: Date;
  count: number;
  reason: string;
}

export async function readGaps(store: Store, scheduleId: string): Promise<RecordedGap[]> {
  const { rows } = await sql<RecordedGap>`
    select schedule_id as "scheduleId", from_time as "from", to_time as "to", count, reason
    from ${store.table('gaps')} where schedule_id = ${scheduleId} order by from_time`.execute(store.db);
  return rows;
}

export async function readLeftToNative(store: Store, scheduleId: string): Promise<Pick<RecordedGap, 'from' | 'to'>[]> {
  const { rows } = await sql<Pick<RecordedGap, 'from' | 'to'>>`
    select from_time as "from", to_time as "to" from ${store.table('gaps')}
    where schedule_id = ${scheduleId} and reason = 'native'`.execute(store.db);
  return rows;
}
