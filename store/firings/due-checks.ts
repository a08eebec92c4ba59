import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';

/** Which part of a page is taken, where Postgres refuses a row of it. */
export interface PagePart<Key = FiringKey> {
  /** Schedules that are left out. */
  without: string[];
  /** These alone. @default whatever the page holds */
  only?: Key[] | undefined;
}

/** Firings whose check is due. */
export interface DueChecks extends PagePart {
  state: 'claimed' | 'linked' | 'closed';
  now: Date;
  limit: number;
  /** Namespaces that are left out. @default none */
  withoutNamespaces?: string[];
}

/** A page of the firings `f` whose check is due, the longest due first; of claims, those that were announced. */
export function dueChecks(store: Store, look: DueChecks): RawBuilder<unknown> {
  const { state, only } = look;
  const isAnnounced = sql`not (f.owner is null and f.first_attempted_at is null and f.task_queue is not null)`;
  const isIn = (keys: FiringKey[]) => sql`(f.schedule_id, f.scheduled_time) in (
    select * from unnest(${keys.map((key) => key.scheduleId)}::text[], ${keys.map((key) => key.scheduledTime)}::timestamptz[]))`;
  return sql`from ${store.table('firings')} f
    where f.state = ${sql.lit(state)} and f.check_at <= ${look.now} and f.namespace <> all(${look.withoutNamespaces ?? []}::text[])
      and f.schedule_id <> all(${look.without}::text[]) and ${state === 'claimed' ? isAnnounced : sql`true`}
      and ${only ? isIn(only) : sql`true`}
    order by f.check_at, f.scheduled_time, f.schedule_id limit ${look.limit}`;
}

/** Their keys, without taking them. */
export async function readDueChecks(store: Store, look: DueChecks): Promise<FiringKey[]> {
  const { rows } = await sql<FiringKey>`
    select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime" ${dueChecks(store, look)}`.execute(
    store.db,
  );
  return rows;
}
