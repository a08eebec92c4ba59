import { type RawBuilder, sql } from 'kysely';
import type { ScheduleSpec } from '../../core/schedule/spec';
import type { Store } from '../connection';
import { ofTenant } from '../schedules/tenant';
import { contains } from '../text';
import { committedAfter } from './changes';

export interface SpecInUse {
  scheduleId: string;
  tenant: string;
  /** The namespace; like the spec, null if the ledger no longer has the schedule's version. */
  namespace: string | null;
  spec: ScheduleSpec | null;
  isDeleted: boolean;
  /** Whether the schedule is neither deleted, completed, set aside nor paused without an end. */
  isLive: boolean;
  /** When the pause of a paused schedule ends by itself; null if it is not paused, or has no such end. */
  pausedUntil: Date | null;
}

/** A reader's position: the reader has seen everything that was written before it. */
export interface SpecsSeen {
  /** The snapshot in which the reader read, in the format of Postgres. */
  snapshot: string;
  /** The latest completion of a schedule when the reader read. */
  completedAt: Date;
  /** The last transaction that erased schedules when the reader read; null for none. */
  erasedBy: string | null;
}

export async function readSpecsSeen(store: Store): Promise<SpecsSeen> {
  const { rows } = await sql<SpecsSeen>`select ${seenColumns(store)}`.execute(store.db);
  return rows[0]!;
}

/** A page of all schedules that are not deleted, in the order of their IDs, after the ID `behind`. */
export async function readSpecsPage(
  store: Store,
  { behind, size }: { behind: string; size: number },
): Promise<SpecInUse[]> {
  // The keys are read first: for a join, the planner might read all tables before it returns the first row.
  const keys = sql`(select * from ${store.table('schedules')} where deleted_at is null and schedule_id > ${behind}
    order by schedule_id limit ${size})`;
  const { rows } =
    await sql<SpecInUse>`select ${SPEC_COLUMNS} from ${withSpecs(store, keys)} order by s.schedule_id`.execute(
      store.db,
    );
  return rows;
}

/** Completions may be written in another order than that of their times, so the last minute is read again. */
const COMPLETIONS_AGAIN = '1 minute';

/** Schedules that were created, changed, deleted or completed since a read, and whether a purge has erased some. */
export async function readSpecsChanged(
  store: Store,
  since: SpecsSeen,
): Promise<{ changed: string[]; isErased: boolean; seen: SpecsSeen }> {
  const [late, early] = committedAfter(since.snapshot);
  // In a database that was restored from a dump, rows may name transactions that are still to come there. Such rows are
  // left out.
  const { rows } = await sql<SpecsSeen & { changed: string[] }>`
    select ${seenColumns(store)}, array(
      select schedule_id from ${store.table('schedules')} where ${late} and changed < pg_snapshot_xmax(pg_current_snapshot())
      union all
      select schedule_id from ${store.table('schedules')} where ${early}
      union all
      select schedule_id from ${store.table('timers')}
      where completed_at > ${since.completedAt}::timestamptz - interval '${sql.raw(COMPLETIONS_AGAIN)}') as changed`.execute(
    store.db,
  );
  const { changed, ...seen } = rows[0]!;
  return { changed, isErased: seen.erasedBy !== since.erasedBy, seen };
}

export async function readSpecsOf(store: Store, scheduleIds: string[]): Promise<SpecInUse[]> {
  const { rows } = await sql<SpecInUse>`select ${SPEC_COLUMNS} from ${withSpecs(store, store.table('schedules'))}
    where s.schedule_id = any(${scheduleIds}::text[])`.execute(store.db);
  return rows;
}

/**
 * How far ahead firings of the given schedules may be handed over, and how many schedules have each value: null means
 * up to the trigger's cap, 0 not at all.
 */
export async function readPreStarts(
  store: Store,
  scheduleIds: string[],
): Promise<{ milliseconds: number | null; schedules: number }[]> {
  const { rows } = await sql<{ milliseconds: number | null; schedules: number }>`
    select case when v.policies -> 'preStart' = 'false' then 0
        when jsonb_typeof(v.policies -> 'preStart') = 'number' then (v.policies ->> 'preStart')::float8 end as milliseconds,
      count(*)::int as schedules
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.schedule_id = any(${scheduleIds}::text[]) group by 1 order by schedules desc, milliseconds`.execute(
    store.db,
  );
  return rows;
}

const SPEC_COLUMNS = sql`s.schedule_id as "scheduleId", s.tenant, v.namespace, v.spec, s.deleted_at is not null as "isDeleted",
  (s.deleted_at is null and s.spec_error is null and (not s.paused or s.paused_until is not null)
    and t.schedule_id is not null and t.completed_at is null) as "isLive", case when s.paused then s.paused_until end as "pausedUntil"`;

function withSpecs(store: Store, schedules: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${schedules} s
    left join ${store.table('schedule_versions')} v using (schedule_id, version) left join ${store.table('timers')} t using (schedule_id)`;
}

function seenColumns(store: Store): RawBuilder<unknown> {
  return sql`pg_current_snapshot()::text as snapshot,
    coalesce((select max(completed_at) from ${store.table('timers')} where completed_at is not null), 'epoch') as "completedAt",
    (select value #>> '{}' from ${store.table('meta')} where key = 'schedules_erased_by') as "erasedBy"`;
}

/** The IDs of all schedules that are not deleted and match every given field. */
export async function readNamed(
  store: Store,
  query: {
    tenant: string | undefined;
    /** A part of the schedule's ID or note. */
    text: string | undefined;
    namespace: string | undefined;
    taskQueue: string | undefined;
  },
): Promise<string[]> {
  const { tenant, text, namespace, taskQueue } = query;
  const conditions = [ofTenant(store, sql`s.schedule_id`, tenant)];
  if (text !== undefined)
    conditions.push(sql`(${contains(sql`s.schedule_id`, text)} or ${contains(sql`s.note`, text)})`);
  const versions = [];
  if (namespace !== undefined) versions.push(sql`v.namespace = ${namespace}`);
  if (taskQueue !== undefined) versions.push(sql`v.action ->> 'taskQueue' = ${taskQueue}`);
  if (versions.length > 0) {
    conditions.push(sql`exists (select from ${store.table('schedule_versions')} v
      where v.schedule_id = s.schedule_id and v.version = s.version and ${sql.join(versions, sql` and `)})`);
  }
  const { rows } = await sql<{ scheduleIds: string[] | null }>`
    select array_agg(s.schedule_id) as "scheduleIds" from ${store.table('schedules')} s
    where s.deleted_at is null and ${sql.join(conditions, sql` and `)}`.execute(store.db);
  return rows[0]!.scheduleIds ?? [];
}
