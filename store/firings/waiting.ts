import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { amountIn } from '../text';
import { run } from '../transaction';
import { inMonthsOf, keysTable } from './keys';
import { type AnnouncedAt, isPresent, STARTABLE, type StartableFiring, VERSIONING_OVERRIDE } from './start';

/**
 * True for a claim `f` whose start nobody has announced: any trigger may take it. The index `firings_waiting` has the
 * same condition.
 */
export const IS_WAITING = sql`(f.state = 'claimed' and f.owner is null and f.first_attempted_at is null and f.task_queue is not null)`;

/**
 * The same condition as `IS_WAITING`, for rows that are found by their schedule. The condition matches the index on
 * open firings, and not the index on all waiting firings.
 */
export const IS_WAITING_BY_KEY = sql`(f.state in ('buffered', 'claimed', 'linked') and f.state || '' = 'claimed' and f.owner is null
  and f.first_attempted_at is null and f.task_queue is not null)`;

/**
 * The firings of one tenant for one task queue. Lanes take turns, so that no tenant or task queue waits behind
 * another's burst.
 */
export interface Lane {
  tenant: string;
  taskQueue: string;
}

/**
 * The task queue that names the lane of a claim. A damaged definition may have none. Its claims wait in the lane `?`,
 * since a claim without a lane would never be taken, and the read of all lanes begins after the empty name.
 */
export function queueOfLane(taskQueue: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(nullif(${taskQueue}, ''), '?')`;
}

export interface TakenWaiting extends StartableFiring, Lane {
  readyAt: Date;
}

export interface WaitingLane extends Lane {
  /** Whether these are the lane's late firings, which start after those that are on time. */
  late: boolean;
  /** The read of the lane begins at firings with this `readyAt`. */
  from: Date;
}

export interface Announcement extends AnnouncedAt {
  owner: string;
  /** When the firing is checked, unless it is linked before. */
  checkAt: Date;
}

/** The parts of the waiting firings, in the order in which a take reads them. */
export const PARTS = ['onTime', 'overdue', 'missed'] as const;
export type Part = (typeof PARTS)[number];

export interface WaitingTake extends Announcement {
  namespace: string;
  limit: number;
  /** Firings that should have started before this time are overdue. */
  onTimeFrom: Date;
  /** The only lanes to read. @default all lanes with waiting firings */
  lanes?: WaitingLane[] | undefined;
  /** For each part, the lane after which this take continues. */
  after: Readonly<Record<Part, Lane>>;
  /** Task queues with a cap, and how many more starts each cap allows now. */
  capped: ReadonlyMap<string, number>;
  without: string[];
}

export interface TakenPage {
  /** The firings in the order in which start must be called. */
  firings: TakenWaiting[];
  /** The lane after which the next take continues, by part. */
  after: Partial<Record<Part, Lane>>;
  /** Whether a lane was left out or left early, since its cap is used up. */
  isHeldBack: boolean;
  /** Whether a part may have more lanes than one take reads. */
  isCut: boolean;
}

/** A row without a firing has at most `present`, `part`, a lane and `heldBack`. */
interface Row extends TakenWaiting {
  present: boolean;
  part: number;
  laneTenant: string | null;
  laneQueue: string | null;
  heldBack: boolean;
}

/**
 * Take the next waiting firings of a namespace, and announce their starts, in one statement.
 *
 * @throws {Error} if Postgres receives the statement five seconds after `take.now` or later; nothing was taken
 */
export async function takeWaiting(store: Store, take: WaitingTake): Promise<TakenPage> {
  const { capped, after, lanes } = take;
  const { rows } = await run(
    store,
    sql<Row>`
    select p.present, w.part, w.lane_tenant as "laneTenant", w.lane_queue as "laneQueue",
      coalesce(w.held_back, false) as "heldBack", ${STARTABLE}, ${VERSIONING_OVERRIDE(store)}, f.tenant, f.task_queue as "taskQueue"
    from (select ${isPresent(take)} as present) p
    left join lateral ${sql.id(store.schema, lanes ? 'take_from_lanes' : 'take_waiting')}(${take.namespace}, ${take.owner}, ${take.now},
      ${take.checkAt}, case when p.present then ${take.limit}::int else 0 end, ${take.onTimeFrom}, ${lanes ? theseLanes(take, lanes) : allLanes(after)},
      ${[...capped.keys()]}::text[], ${[...capped.values()]}::int[], ${take.without}::text[]) w on true cross join lateral (select (w.firing).*) f`,
  );
  if (!rows[0]!.present) {
    throw new Error(
      "Postgres received a take of starts 5 s or more after the trigger's time for it: the trigger's clock is behind until its next heartbeat, or connections or Postgres are too slow",
    );
  }
  const taken = rows.filter((row) => row.scheduleId != null);
  const page: TakenPage = { firings: taken.sort(inOrder), after: {}, isHeldBack: false, isCut: false };
  for (const { part, laneTenant, laneQueue, heldBack, scheduleId } of rows) {
    page.isHeldBack ||= heldBack;
    if (laneTenant === null) continue;
    // If a part is cut and the batch is not full, the next take continues after the last lane that was read.
    if (scheduleId == null) page.isCut = true;
    else if (page.isCut && taken.length < take.limit) continue;
    page.after[PARTS[part - 1]!] = { tenant: laneTenant, taskQueue: laneQueue! };
  }
  return page;
}

function allLanes(after: WaitingTake['after']) {
  return sql`${PARTS.length}, ${PARTS.map((part) => after[part].tenant)}::text[], ${PARTS.map((part) => after[part].taskQueue)}::text[]`;
}

function theseLanes({ after, onTimeFrom }: WaitingTake, lanes: WaitingLane[]) {
  const turns = PARTS.flatMap((part, index) => {
    const ofPart = lanes.filter((lane) => (part === 'missed') === lane.late);
    const timed = part === 'overdue' ? ofPart.filter(({ from }) => from < onTimeFrom) : ofPart;
    return behind(after[part], timed).map((lane) => ({ ...lane, part: index + 1 }));
  });
  return sql`${turns.map(({ part }) => part)}::int[], ${turns.map(({ tenant }) => tenant)}::text[],
    ${turns.map(({ taskQueue }) => taskQueue)}::text[], ${turns.map(({ from }) => from)}::timestamptz[]`;
}

/** The lanes after the given one, followed by all other lanes up to and including it. */
function behind(last: Lane, lanes: WaitingLane[]): WaitingLane[] {
  const sorted = [...lanes].sort(compareLanes);
  const isAfter = (lane: Lane) => compareLanes(lane, last) > 0;
  return [...sorted.filter(isAfter), ...sorted.filter((lane) => !isAfter(lane))];
}

/** Compares lanes as the takes order them: negative if `one` comes first, 0 if they are the same. */
function compareLanes(one: Lane, other: Lane): number {
  return one.tenant === other.tenant
    ? compareTexts(one.taskQueue, other.taskQueue)
    : compareTexts(one.tenant, other.tenant);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function inOrder(one: Row, other: Row): number {
  return one.part - other.part || one.readyAt.getTime() - other.readyAt.getTime();
}

/** Finding one lane takes one step in the index. */
const LANES_READ_AT_MOST = 100_000;

/**
 * Keys of the batch that {@link takeWaiting} would take, without those over a cap. They are read if Postgres refuses a
 * row of the batch. Lanes take turns here too: otherwise a lane would wait behind the backlog of others for as long as
 * one of its rows is refused.
 */
export async function readWaiting(store: Store, take: Omit<WaitingTake, keyof Announcement>): Promise<FiringKey[]> {
  const { namespace, limit, lanes, onTimeFrom, after, capped, without } = take;
  const left = new Map(capped);
  const full = [...capped.keys()].filter((taskQueue) => capped.get(taskQueue) === 0);
  const read = lanes
    ? sql`select * from unnest(${lanes.map(({ late }) => late)}::boolean[], ${lanes.map(({ tenant }) => tenant)}::text[],
        ${lanes.map(({ taskQueue }) => taskQueue)}::text[], ${lanes.map(({ from }) => from)}::timestamptz[]) l (late, tenant, task_queue, since)`
    : sql`select lane_late as late, lane_tenant as tenant, lane_queue as task_queue, first_ready_at as since
        from ${sql.id(store.schema, 'waiting_lanes')}(${LANES_READ_AT_MOST}) where lane_namespace = ${namespace}`;
  const waiting = (lane: 'l' | 'p', lower: RawBuilder<unknown>) => sql`${store.table('firings')} f
    where f.namespace = ${namespace} and ${IS_WAITING} and f.late = p.late and f.tenant = ${sql.ref(`${lane}.tenant`)}
      and f.task_queue = ${sql.ref(`${lane}.task_queue`)} and f.ready_at >= ${lower} and f.ready_at < p.upper
      and f.schedule_id <> all(${without}::text[])`;
  const lastOf = (name: keyof Lane) => sql`(${PARTS.map((part) => after[part][name])}::text[])[part]`;
  // If a part has as many lanes as the batch has places, only the first firing of each of them can be in the batch.
  const ofEach = sql`case when p.lanes < ${limit}::int then ${limit}::int else 1 end`;
  const { rows } = await sql<FiringKey & { taskQueue: string }>`
    with lanes as materialized (${read}),
    parts as (
      select l.late, l.tenant, l.task_queue, greatest(p.lower, l.since) as lower, p.upper, p.part, count(*) over (partition by p.part) as lanes
      from lanes l join (values (1, false, ${onTimeFrom}::timestamptz, 'infinity'::timestamptz),
        (2, false, '-infinity', ${onTimeFrom}), (3, true, '-infinity', 'infinity')) p (part, late, lower, upper) using (late)
      where l.task_queue <> all(${full}::text[]) and exists (select from ${waiting('l', sql`greatest(p.lower, l.since)`)} offset 0)),
    turns as (
      select f.*, p.part, row_number() over (partition by p.part, p.tenant, p.task_queue
        order by f.ready_at, f.scheduled_time, f.schedule_id) as turn
      from parts p cross join lateral (
        select f.schedule_id, f.scheduled_time, f.ready_at, f.tenant, f.task_queue from ${waiting('p', sql`p.lower`)}
        order by f.ready_at, f.scheduled_time, f.schedule_id limit ${ofEach}) f)
    select schedule_id as "scheduleId", scheduled_time as "scheduledTime", task_queue as "taskQueue" from turns
    order by part, turn, (tenant, task_queue) <= (${lastOf('tenant')}, ${lastOf('taskQueue')}), tenant, task_queue
    limit ${limit}`.execute(store.db);
  return rows.filter(({ taskQueue }) => {
    const starts = left.get(taskQueue) ?? limit;
    if (capped.has(taskQueue)) left.set(taskQueue, starts - 1);
    return starts > 0;
  });
}

export async function announceWaiting(
  store: Store,
  keys: FiringKey[],
  { owner, now, checkAt, at }: Announcement,
): Promise<TakenWaiting[]> {
  const { rows } = await run(
    store,
    sql<TakenWaiting>`
    update ${store.table('firings')} f set owner = ${owner}, check_at = ${checkAt}, first_attempted_at = ${now}, start_attempted_at = ${now}
    from ${keysTable(keys)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inMonthsOf(keys, 'claimed')}
      and f.owner is null and f.first_attempted_at is null and ${isPresent({ now, at })}
    returning ${STARTABLE}, ${VERSIONING_OVERRIDE(store)}, f.tenant, f.task_queue as "taskQueue"`,
  );
  return rows;
}

export async function readWaitingNamespaces(store: Store): Promise<string[]> {
  const { rows } = await sql<{ namespace: string }>`
    select distinct lane_namespace as namespace from ${sql.id(store.schema, 'waiting_lanes')}(1)`.execute(store.db);
  return rows.map((row) => row.namespace);
}

export async function readRedriven(store: Store, keys: FiringKey[]): Promise<FiringKey[]> {
  const { rows } = await sql<FiringKey>`
    select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime" from ${keysTable(keys)}
    join ${store.table('dead_letters')} f on f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
    where f.state = 'redriving'`.execute(store.db);
  return rows;
}

export interface ExpiredWaiting extends StartableFiring {
  expiredBy: 'outside_catchup_window' | 'start_refused';
}

/**
 * Waiting firings to abandon, in a namespace that refuses every call of this trigger. Either their catch-up window is
 * over, or the namespace has refused every trigger for too long since they were claimed. Firings that a person redrives
 * are left out.
 */
export async function readExpired(
  store: Store,
  query: {
    namespace: string;
    now: Date;
    /** Since when the namespace has refused every trigger. */
    refusedSince: Date;
    refusedAtMostMilliseconds: number;
    limit: number;
  },
): Promise<ExpiredWaiting[]> {
  const { namespace, now, refusedSince } = query;
  // Recovery uses the same rule: a firing that was claimed on time does not become late by waiting for its start.
  const dueAt = sql`case f.kind when 'schedule' then greatest(f.ready_at, f.claimed_at) else f.ready_at end`;
  const { rows } = await sql<ExpiredWaiting>`
    select ${STARTABLE}, x.reason as "expiredBy" from ${store.table('firings')} f
    join ${store.table('schedule_versions')} v on v.schedule_id = f.schedule_id and v.version = f.schedule_version
    cross join lateral (select case
      when f.kind in ('schedule', 'catchup') and ${now} > ${dueAt} + ${amountIn(sql`v.policies`, 'catchupWindow')} * interval '1 millisecond'
        then 'outside_catchup_window'
      when ${now} >= greatest(${refusedSince}::timestamptz, f.claimed_at) + ${query.refusedAtMostMilliseconds} * interval '1 millisecond'
        then 'start_refused' end as reason) x
    where f.namespace = ${namespace} and ${IS_WAITING} and x.reason is not null and not ${isRedriven(store)}
    order by f.late, f.tenant, f.task_queue, f.ready_at limit ${query.limit}`.execute(store.db);
  return rows;
}

/** Whether a person redrives the dead letter of the firing `f`. */
export function isRedriven(store: Store): RawBuilder<unknown> {
  return sql`exists (select from ${store.table('dead_letters')} l where l.schedule_id = f.schedule_id
    and l.scheduled_time = f.scheduled_time and l.state = 'redriving')`;
}
