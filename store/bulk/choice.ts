import { sql } from 'kysely';
import type { Store } from '../connection';
import { type CheckedScheduleFilter, scheduleConditions } from '../reads/schedule-filter';
import { and } from '../text';

export interface BulkChoice {
  filter: CheckedScheduleFilter;
  scheduleIds: string[] | undefined;
}

/** @param behind only schedules whose IDs come after this one; undefined for all */
function chosen(store: Store, { filter, scheduleIds }: BulkChoice, behind?: string) {
  const { schedule, timer, version, both } = scheduleConditions(store, filter);
  const ids = scheduleIds === undefined ? [] : [sql`s.schedule_id = any(${scheduleIds}::text[])`];
  if (behind !== undefined) ids.push(sql`s.schedule_id > ${behind}`);
  return sql`from ${store.table('schedules')} s join ${store.table('timers')} t using (schedule_id)
      join ${store.table('schedule_versions')} v using (schedule_id, version)
    where ${and([sql`s.deleted_at is null`, ...ids, ...schedule, ...timer, ...version, ...both])}`;
}

/** How many live schedules a change would affect, and how many of them are paused. */
export async function countChosen(store: Store, choice: BulkChoice): Promise<{ total: number; paused: number }> {
  const { rows } = await sql<{ total: number; paused: number }>`select count(*)::int as total,
    (count(*) filter (where s.paused))::int as paused ${chosen(store, choice)}`.execute(store.db);
  return rows[0]!;
}

export async function readChosen(
  store: Store,
  choice: BulkChoice,
  limit: number,
): Promise<{ scheduleId: string; paused: boolean; nextFireAt: Date | null }[]> {
  const { rows } = await sql<{ scheduleId: string; paused: boolean; nextFireAt: Date | null }>`
    select s.schedule_id as "scheduleId", s.paused, t.next_fire_at as "nextFireAt" ${chosen(store, choice)}
    order by s.schedule_id limit ${limit}`.execute(store.db);
  return rows;
}

/** How many schedules one statement records. The statement needs only a part of its time limit for them. */
const RECORDED_AT_ONCE = 50_000;

/** Record the chosen schedules of an operation, which wait for their change. @returns how many they are */
export async function recordSchedules(
  transaction: Store,
  operationId: string,
  choice: BulkChoice | { undoes: string },
): Promise<number> {
  const table = transaction.table('bulk_schedules');
  for (let [total, behind] = [0, '']; ; ) {
    const ids =
      'undoes' in choice
        ? sql`select x.schedule_id from ${table} x
            where x.operation_id = ${choice.undoes} and x.outcome = 'changed' and x.schedule_id > ${behind} order by x.schedule_id`
        : sql`select s.schedule_id ${chosen(transaction, choice, behind)} order by s.schedule_id`;
    const { rows } = await sql<{ count: number; last: string | null }>`
      with recorded as (
        insert into ${table} (operation_id, schedule_id)
        select ${operationId}::uuid, i.schedule_id from (${ids} limit ${RECORDED_AT_ONCE}) i returning schedule_id)
      select count(*)::int as count, max(schedule_id) as last from recorded`.execute(transaction.db);
    const { count, last } = rows[0]!;
    total += count;
    if (count < RECORDED_AT_ONCE) return total;
    behind = last!;
  }
}
