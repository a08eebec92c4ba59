import { type RawBuilder, sql } from 'kysely';
import { COUNTED_AT_MOST } from '../../core/counted';
import type { Store } from '../connection';
import { IS_WAITING } from '../firings/waiting';

/**
 * The waiting and running firings of a namespace that has any. In all namespaces together, at most 100,000 waiting and
 * 100,000 running firings are counted.
 */
export interface NamespaceLoad {
  /** The Temporal namespace. */
  namespace: string;
  /** Claimed firings that may start now and whose start nobody has announced. */
  waiting: number;
  /** When the first of these firings became ready to start; null if there are none. */
  waitingSince: Date | null;
  /** The number of firings whose chain runs, by the ledger. */
  running: number;
}

/**
 * The time from a firing's nominal time until its first workflow task may run, in milliseconds; null if there are no
 * firings.
 */
export interface LagSummary {
  /** The number of firings that were measured. */
  firings: number;
  /** The median: half of these firings had at most this lag. */
  p50Milliseconds: number | null;
  /** 99 in a hundred of these firings had at most this lag. */
  p99Milliseconds: number | null;
  /** The largest lag. */
  maxMilliseconds: number | null;
}

export interface LedgerOverview {
  now: Date;
  due: number;
  /** Whether there may be more due schedules than were counted. */
  isDueCut: boolean;
  dueSince: Date | null;
  namespaces: NamespaceLoad[];
  lag: LagSummary;
}

/** The lag is measured over at most this many of the newest firings. */
const LAG_OF_AT_MOST = 10_000;
const LAG_OF_MINUTES = 5;

interface OverviewQuery {
  /** The tenant that is read; undefined for all. */
  tenant: string | undefined;
  /** The current time; undefined for the database's clock. */
  now: Date | undefined;
  /** Whether waiting and running firings are counted too; without them, no namespace is returned. @default true */
  loads?: boolean;
  /** @default 100,000 */
  countedAtMost?: number;
}

/** Due schedules, waiting and running firings now, and the lag, for one tenant or all; an index serves each part. */
export async function readOverview(
  store: Store,
  { tenant, now, loads = true, countedAtMost = COUNTED_AT_MOST }: OverviewQuery,
): Promise<LedgerOverview> {
  const firings = store.table('firings');
  const ofTenant = (scheduleId: RawBuilder<unknown>) =>
    tenant === undefined
      ? sql`true`
      : sql`exists (select from ${store.table('schedules')} s where s.schedule_id = ${scheduleId} and s.tenant = ${tenant})`;
  const recent = sql`f.scheduled_time > (select now from clock) - ${LAG_OF_MINUTES} * interval '1 minute'
    and f.scheduled_time <= (select now from clock) and f.kind = 'schedule' and f.epoch = 0 and f.linked_at is not null and ${ofTenant(sql`f.schedule_id`)}`;
  const lagOf = sql`greatest(f.linked_at, f.starts_at) - f.scheduled_time as lag, f.scheduled_time`;
  const newest = sql`order by scheduled_time desc limit ${LAG_OF_AT_MOST}`;
  const { rows } = await sql<
    Omit<LedgerOverview, 'isDueCut' | 'namespaces' | 'lag'> & LagSummary & { namespaces: Listed[] }
  >`
    with clock as (select coalesce(${now ?? null}::timestamptz, clock_timestamp()) as now),
    due as (select greatest(t.wake_at, t.next_fire_at) as at from ${store.table('timers')} t where t.wake_at <= (select now from clock)
      and t.next_fire_at <= (select now from clock) and ${ofTenant(sql`t.schedule_id`)} limit ${countedAtMost}),
    loads as (
      select namespace, count(*) filter (where waits)::int as waiting, min(ready_at) filter (where waits) as since,
        count(*) filter (where not waits)::int as running
      from (
        (select f.namespace, f.ready_at, true as waits from ${firings} f where ${IS_WAITING} and f.ready_at <= (select now from clock) and ${ofTenant(sql`f.schedule_id`)}
          limit ${countedAtMost})
        union all
        (select f.namespace, null, false from ${firings} f where f.state = 'linked' and ${ofTenant(sql`f.schedule_id`)}
          limit ${countedAtMost})) each_one
      group by namespace),
    lags as (
      select (extract(epoch from lag) * 1000)::float8 as lag from (
        (select ${lagOf} from ${firings} f where f.state in ('buffered', 'closed', 'skipped', 'abandoned') and ${recent} ${newest})
        union all
        (select ${lagOf} from ${firings} f where f.state = 'linked' and ${recent} ${newest})) each_one ${newest}),
    late as (
      select count(*)::int as firings, percentile_disc(0.5) within group (order by lag) as "p50Milliseconds",
        percentile_disc(0.99) within group (order by lag) as "p99Milliseconds", max(lag) as "maxMilliseconds"
      from lags)
    select now, (select count(*)::int from due) as due, (select min(at) from due) as "dueSince",
      ${loads ? LISTED : sql`'[]'::jsonb`} as namespaces, late.*
    from clock, late`.execute(store.db);
  const { firings: measured, p50Milliseconds, p99Milliseconds, maxMilliseconds, namespaces, ...rest } = rows[0]!;
  return {
    ...rest,
    isDueCut: rest.due >= countedAtMost,
    namespaces: namespaces.map(({ waitingSince, ...load }) => ({
      ...load,
      waitingSince: waitingSince === null ? null : new Date(waitingSince),
    })),
    lag: { firings: measured, p50Milliseconds, p99Milliseconds, maxMilliseconds },
  };
}

/** Postgres counts the firings of namespaces only if the statement contains this expression. */
const LISTED = sql`(select coalesce(jsonb_agg(jsonb_build_object('namespace', namespace, 'waiting', waiting, 'waitingSince', since,
  'running', running) order by namespace), '[]') from loads)`;

type Listed = Omit<NamespaceLoad, 'waitingSince'> & { waitingSince: string | null };
