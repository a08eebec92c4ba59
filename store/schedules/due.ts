import { type RawBuilder, sql } from 'kysely';
import type { ScheduleDefinition, StoredAction } from '../../core/definition/definition';
import type { Store } from '../connection';
import { SHADOW_FORMAT, SPEC_FORMAT } from '../spec-format';

/** A timer and its schedule, as they were read without a lock. */
export interface DueTimer {
  scheduleId: string;
  /** Shows whether the timer has changed since then. It is text, since a number would not hold every `bigint`. */
  seq: string;
  wakeAt: Date;
  answeredTo: Date;
  /** How many firings of the spec remain before the schedule is completed; null for no limit. */
  remainingActions: number | null;
  version: number;
  tenant: string;
  metered: boolean;
  /** Whether the schedule is set aside: its definition could not be used, and nobody has changed it since. */
  isSetAside: boolean;
  paused: boolean;
  /** When the schedule's pause ends by itself; null if it does not. */
  pausedUntil: Date | null;
  /** When the schedule's last pause ended; null if no end of a pause is recorded. */
  unpausedAt: Date | null;
  /** Whether the schedule is in shadow: it records its occurrences but starts nothing. */
  shadow: boolean;
  deleted: boolean;
  /** When the schedule was created, or created again under the ID of a deleted schedule. */
  createdAt: Date;
}

/** The end of a batch of timers: its last timer. */
export type TimerCursor = Pick<DueTimer, 'scheduleId' | 'wakeAt'>;

/**
 * The number of timers that wake at nearly the same time: within a quarter of a second, from `at` to `until`, in
 * milliseconds since 1970.
 */
export interface UpcomingWakes {
  at: number;
  until: number;
  count: number;
  /** Whether the last of these timers wakes after `near`: its schedule allows handing firings over that early. */
  isAsked: boolean;
}

/**
 * How far ahead timers are read: to `near` for all schedules, and to `far` for schedules that allow handing firings
 * over that early.
 */
export interface Ahead {
  near: Date;
  /** Timers that are further ahead than their schedule allows are left out. @default `near` */
  far?: Date | undefined;
}

/** How many future timers are counted at most: this many before `near`, and this many after it. */
const COUNTED_AHEAD_AT_MOST = 20_000;

/**
 * Reads due timers, the longest overdue first, and counts the timers that wake `ahead`, in the order of time. The read
 * takes no lock. Schedules in a newer form than this program knows are left out.
 *
 * @param query.from the read begins at timers that wake at this time: it then skips older index entries, which a long
 * snapshot keeps. @default no limit
 * @param query.without the definitions that this program leaves to other programs, except while their schedules sleep:
 * a pause or a deletion needs no definition
 * @param query.aside IDs of schedules to leave out, since Postgres refuses one of their rows
 */
export async function readDueTimers(
  store: Store,
  query: { now: Date; ahead: Ahead; from?: Date | undefined; without: VersionKey[]; aside: string[] },
  limit: number,
  cursor?: TimerCursor,
): Promise<{ due: DueTimer[]; upcoming: UpcomingWakes[] }> {
  const behind = cursor ? sql`(t.wake_at, t.schedule_id) > (${cursor.wakeAt}, ${cursor.scheduleId})` : sql`true`;
  const from = query.from ? sql`t.wake_at >= ${query.from}` : sql`true`;
  const { near, far = near } = query.ahead;
  const left = query.without;
  const mayBeTaken =
    left.length === 0
      ? sql`true`
      : sql`not exists (select from unnest(${left.map((key) => key.scheduleId)}::text[], ${left.map((key) => key.version)}::int[])
          as x (schedule_id, version) where x.schedule_id = t.schedule_id and x.version = s.version and not (${sleepsAt(query.now)}))`;
  const isNotAside =
    query.aside.length === 0 ? sql`true` : sql`t.schedule_id not in (select unnest(${query.aside}::text[]))`;
  // Instants are bound as values, since Postgres could not use the index for a volatile function.
  const { rows } = await sql<DueTimer & { wakesFirst: Date | null; wakesLast: Date | null; wakes: number | null }>`
    (${selectTimers(store, sql`null::timestamptz as "wakesFirst", null::timestamptz as "wakesLast", null::int as wakes`)}
      where t.wake_at <= ${query.now} and ${from} and ${behind} and t.spec_format <= ${SPEC_FORMAT} and ${mayBeTaken} and ${isNotAside}
      order by t.wake_at, t.schedule_id limit ${limit})
    union all
    select null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, min(wake_at), max(wake_at), count(*)::int
    from (
      (select wake_at from ${store.table('timers')}
        where wake_at > ${query.now} and wake_at <= ${near} and spec_format <= ${SPEC_FORMAT}
        order by wake_at limit ${COUNTED_AHEAD_AT_MOST})
      union all
      (select wake_at from ${store.table('timers')}
        where pre_start is not null and wake_at > ${near} and wake_at <= ${far} and ${isWithinReach(query.now)}
          and spec_format <= ${SPEC_FORMAT}
        order by wake_at limit ${COUNTED_AHEAD_AT_MOST})) u
    group by date_bin('250 milliseconds', wake_at, 'epoch')`.execute(store.db);
  const upcoming = rows.filter((row) => row.wakesFirst !== null);
  return {
    due: rows.filter((row) => row.wakesFirst === null),
    upcoming: upcoming
      .map(({ wakesFirst, wakesLast, wakes }) => ({
        at: wakesFirst!.getTime(),
        until: wakesLast!.getTime(),
        count: wakes!,
        isAsked: wakesLast! > near,
      }))
      .sort((one, other) => one.at - other.at),
  };
}

/** Whether the schedule `s` with the timer `t` answers no occurrences. */
function sleepsAt(now: Date): RawBuilder<unknown> {
  return sql`s.deleted_at is not null or coalesce(t.remaining_actions, 1) = 0 or (s.paused and coalesce(s.paused_until > ${now}, true))`;
}

/** Whether a timer whose schedule has its own `pre_start` wakes soon enough for its firing to be handed over now. */
function isWithinReach(now: Date): RawBuilder<unknown> {
  return sql`wake_at <= ${now}::timestamptz + pre_start * interval '1 millisecond'`;
}

/**
 * Reads timers that wake in `(now, until]`, and soon enough for their firings to be handed over now. The read begins
 * after `cursor`; the earliest timer comes first. Schedules whose `preStart` is false are among them. A schedule with
 * its own `pre_start` may be handed over that far ahead, any other schedule until `near`.
 */
export async function readUpcomingTimers(
  store: Store,
  { now, near, until }: { now: Date; near: Date; until: Date },
  limit: number,
  cursor?: TimerCursor,
): Promise<DueTimer[]> {
  const behind = cursor ? sql`(t.wake_at, t.schedule_id) > (${cursor.wakeAt}, ${cursor.scheduleId})` : sql`true`;
  const { rows } = await sql<DueTimer>`${selectTimers(store)}
    where t.wake_at > ${now} and t.wake_at <= ${until} and ${behind} and t.spec_format <= ${SPEC_FORMAT}
      and case when t.pre_start is null then t.wake_at <= ${near} else ${isWithinReach(now)} end
    order by t.wake_at, t.schedule_id limit ${limit}`.execute(store.db);
  return rows;
}

export async function readTimers(store: Store, scheduleIds: string[]): Promise<DueTimer[]> {
  const { rows } = await sql<DueTimer>`${selectTimers(store)}
    where t.schedule_id = any(${scheduleIds}) and t.spec_format <= ${SPEC_FORMAT}`.execute(store.db);
  return rows;
}

function selectTimers(store: Store, more?: RawBuilder<unknown>) {
  return sql`select t.schedule_id as "scheduleId", t.seq::text as seq, t.wake_at as "wakeAt", t.answered_to as "answeredTo",
      t.remaining_actions as "remainingActions", s.version, s.tenant, ${isMetered(store)} as metered, s.paused,
      s.spec_error is not null as "isSetAside", s.paused_until as "pausedUntil", s.unpaused_at as "unpausedAt", t.spec_format = ${SHADOW_FORMAT}::int as shadow,
      s.deleted_at is not null as deleted, s.created_at as "createdAt"${more ? sql`, ${more}` : sql``}
    from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)`;
}

/** For a schedule without a tenant, no row is read; otherwise the tenant's row is looked up by its key. */
function isMetered(store: Store) {
  return sql`case when s.tenant = '' then false else coalesce(
    (select q.firings_per_hour is not null from ${store.table('tenants')} q where q.tenant = s.tenant), false) end`;
}

/** The key of a schedule version. Versions never change. */
export interface VersionKey {
  scheduleId: string;
  version: number;
}

/**
 * A schedule version without the data that only starts need: arguments, memo, summary, details and search attributes.
 */
export interface StoredDefinition extends VersionKey, ScheduleDefinition {
  /** Whether the version has any of the data that only starts need. */
  hasPayload: boolean;
}

const CARRIED = sql.raw(`'{memo,staticSummary,staticDetails,searchAttributes}'::text[]`);

export async function readDefinitions(store: Store, keys: VersionKey[]): Promise<StoredDefinition[]> {
  const { rows } = await sql<StoredDefinition>`
    select v.schedule_id as "scheduleId", v.version, v.namespace, v.spec,
      case when jsonb_typeof(v.action) = 'object' then v.action - ${CARRIED} else v.action end as action, v.policies,
      v.args is not null or v.action ?| ${CARRIED} as "hasPayload"
    from ${store.table('schedule_versions')} v
    join unnest(${keys.map((key) => key.scheduleId)}::text[], ${keys.map((key) => key.version)}::int[])
      as x (schedule_id, version) using (schedule_id, version)`.execute(store.db);
  return rows;
}

export interface StartPayload {
  args: Buffer | null;
  action: StoredAction;
}

export async function readStartPayloads(store: Store, keys: VersionKey[]): Promise<(VersionKey & StartPayload)[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<VersionKey & StartPayload>`
    select v.schedule_id as "scheduleId", v.version, v.args, v.action
    from ${store.table('schedule_versions')} v
    join (select distinct * from unnest(${keys.map((key) => key.scheduleId)}::text[],
      ${keys.map((key) => key.version)}::int[]) as x (schedule_id, version)) x using (schedule_id, version)`.execute(
    store.db,
  );
  return rows;
}

/**
 * Record that the schedule's stored definition cannot be used, and why. If the schedule has another version by now,
 * nothing is written.
 */
export async function setAside(store: Store, key: VersionKey, problem: string, now: Date): Promise<void> {
  await sql`update ${store.table('schedules')} set spec_error = ${problem},
      set_aside_at = case when spec_error is null then ${now}::timestamptz else set_aside_at end
    where schedule_id = ${key.scheduleId} and version = ${key.version} and spec_error is distinct from ${problem}`.execute(
    store.db,
  );
}
