import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';

/** Which part of what is due is taken. */
export interface PagePart<Key = FiringKey> {
  /** Nothing that was due before is left. @default no bound */
  from?: Date | undefined;
  /** Schedules that are left out, since Postgres refuses a row of theirs. */
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

/** Of the claims `f`, those that were announced. */
export const isAnnounced = sql`not (f.owner is null and f.first_attempted_at is null and f.task_queue is not null)`;

/** A page of the firings `f` whose check is due, the longest due first; of claims, those that were announced. */
export function dueChecks(store: Store, query: DueChecks): RawBuilder<unknown> {
  const { state, only } = query;
  const from = query.from ? sql`f.check_at >= ${query.from}` : sql`true`;
  const isIn = (keys: FiringKey[]) => sql`(f.schedule_id, f.scheduled_time) in (
    select * from unnest(${keys.map((key) => key.scheduleId)}::text[], ${keys.map((key) => key.scheduledTime)}::timestamptz[]))`;
  return sql`from ${store.table('firings')} f
    where f.state = ${sql.lit(state)} and f.check_at <= ${query.now} and ${from} and f.namespace <> all(${query.withoutNamespaces ?? []}::text[])
      and f.schedule_id <> all(${query.without}::text[]) and ${state === 'claimed' ? isAnnounced : sql`true`}
      and ${only ? isIn(only) : sql`true`}
    order by f.check_at, f.scheduled_time, f.schedule_id limit ${query.limit}`;
}

/** Their keys, without taking them. */
export async function readDueChecks(store: Store, query: DueChecks): Promise<FiringKey[]> {
  const { rows } = await sql<FiringKey>`
    select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime" ${dueChecks(store, query)}`.execute(
    store.db,
  );
  return rows;
}
