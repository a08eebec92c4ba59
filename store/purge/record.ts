import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Store } from '../connection';

/** Begin a purge, or continue an unfinished purge of the same schedule or tenant. Returns the purge's ID. */
export async function beginPurge(
  store: Store,
  purge: { kind: 'schedule' | 'tenant'; subjectHash: string; actor: string; forced: boolean; now: Date },
): Promise<string> {
  const purges = store.table('purges');
  const { rows } = await sql<{ id: string }>`
    with former as (
      update ${purges} set forced = forced or ${purge.forced}, actor = ${purge.actor}
      where kind = ${purge.kind} and subject_hash = ${purge.subjectHash} and ended_at is null returning purge_id),
    made as (
      insert into ${purges} (purge_id, kind, subject_hash, actor, forced, began_at)
      select ${randomUUID()}::uuid, ${purge.kind}, ${purge.subjectHash}, ${purge.actor}, ${purge.forced}, ${purge.now}
      where not exists (select from former) returning purge_id)
    select purge_id as id from former union all select purge_id from made limit 1`.execute(store.db);
  return rows[0]!.id;
}

export async function countPurged(
  store: Store,
  purgeId: string,
  schedules: number,
  counts: Record<string, number>,
): Promise<void> {
  await sql`update ${store.table('purges')} p set schedules = p.schedules + ${schedules},
      counts = p.counts || (select coalesce(jsonb_object_agg(x.key, x.value::bigint + coalesce((p.counts ->> x.key)::bigint, 0)), '{}')
        from jsonb_each_text(${JSON.stringify(counts)}::jsonb) x)
    where purge_id = ${purgeId}`.execute(store.db);
}

export async function endPurge(store: Store, purgeId: string, now: Date): Promise<void> {
  await sql`update ${store.table('purges')} set ended_at = ${now} where purge_id = ${purgeId}`.execute(store.db);
}

/** The database's clock, since this host's clock may be wrong. */
export async function readClock(store: Store): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(store.db);
  return rows[0]!.now;
}
