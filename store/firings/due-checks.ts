import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';

export interface PagePart<Key = FiringKey> {
  /** Rows with an earlier `check_at` are not read. @default no limit */
  from?: Date | undefined;
  /** IDs of schedules to leave out, since Postgres refuses one of their rows. */
  without: string[];
  only?: Key[] | undefined;
}

export interface DueChecks extends PagePart {
  state: 'claimed' | 'linked' | 'closed';
  now: Date;
  limit: number;
  withoutNamespaces?: string[];
}

/**
 * True for claims `f` that do not wait: a trigger owns them or has announced their start, or an older program made
 * them.
 */
export const isAnnounced = sql`not (f.owner is null and f.first_attempted_at is null and f.task_queue is not null)`;

/** A batch of firings `f` whose check is due, the longest overdue first; of claims, only announced ones. */
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

export async function readDueChecks(store: Store, query: DueChecks): Promise<FiringKey[]> {
  const { rows } = await sql<FiringKey>`
    select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime" ${dueChecks(store, query)}`.execute(
    store.db,
  );
  return rows;
}
