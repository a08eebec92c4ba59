import { sql } from 'kysely';
import type { Store } from './connection';
import { type Incarnation, incarnationColumns } from './incarnation';

/** Say that a trigger is alive, and read the database's clock and incarnation, and how many triggers are alive. `now` unset beats by that clock. */
export async function beat(
  store: Store,
  trigger: { id: string; host: string; version: string; now: Date | undefined; staleAfterMilliseconds: number },
): Promise<Incarnation & { now: Date; alive: number }> {
  const { rows } = await sql<Incarnation & { now: Date; alive: number }>`
    insert into ${store.table('triggers')} as own (id, host, version, heartbeat_at)
    values (${trigger.id}, ${trigger.host}, ${trigger.version}, coalesce(${trigger.now ?? null}::timestamptz, clock_timestamp()))
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
    returning clock_timestamp() as now, 1 + (select count(*)::int from ${store.table('triggers')} t
      where t.id <> ${trigger.id} and t.heartbeat_at > own.heartbeat_at - ${trigger.staleAfterMilliseconds} * interval '1 millisecond') as alive,
      ${incarnationColumns(store)}`.execute(store.db);
  return rows[0]!;
}

/** Sign a trigger off that stopped in order. */
export async function signOff(store: Store, id: string): Promise<void> {
  await sql`delete from ${store.table('triggers')} where id = ${id}`.execute(store.db);
}
