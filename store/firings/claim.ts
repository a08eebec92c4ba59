import { sql } from 'kysely';
import { type FiringKey, type FiringKind, nameOf, transition } from '../../core/firing';
import type { Store } from '../connection';
import type { DueTimer } from '../schedules/due';
import { inState } from './keys';
import { queueOfLane } from './waiting';

/** Lock the timers that nobody has changed since they were read, and that no other transaction keeps locked. */
export async function lockDueTimers(
  transaction: Store,
  timers: Pick<DueTimer, 'scheduleId' | 'seq'>[],
): Promise<Set<string>> {
  const scheduleIds = timers.map((timer) => timer.scheduleId);
  const { rows } = await sql<{ count: number | null; scheduleId: string }>`
    with locked as materialized (
      select t.schedule_id from ${transaction.table('timers')} t
      join unnest(${scheduleIds}::text[], ${timers.map((timer) => timer.seq)}::bigint[])
        as x (schedule_id, seq) using (schedule_id)
      where t.seq = x.seq order by t.schedule_id for no key update of t skip locked)
    -- If all timers were locked, their number alone is returned.
    select count(*)::int as count, null as "scheduleId" from locked
    union all select null, schedule_id from locked where (select count(*) from locked) < ${timers.length}`.execute(
    transaction.db,
  );
  const isAll = rows.some((row) => row.count === timers.length);
  return new Set(isAll ? scheduleIds : rows.filter((row) => row.count === null).map((row) => row.scheduleId));
}

export interface NewFiring extends FiringKey {
  state: 'claimed' | 'skipped' | 'buffered';
  reason: string | null;
  kind: FiringKind;
  namespace: string;
  version: number;
  workflowId: string | null;
  /** When the workflow may begin, for a firing that is claimed ahead of time; null for others. */
  startsAt: Date | null;
  tenant: string;
  taskQueue: string;
  /** When the firing's workflow should start. */
  readyAt: Date;
  /** Whether the firing starts after those that are on time: a backfill, or an occurrence that is claimed late. */
  late: boolean;
}

export type WrittenFiring = FiringKey &
  Pick<
    NewFiring,
    'state' | 'reason' | 'kind' | 'workflowId' | 'namespace' | 'startsAt' | 'late' | 'readyAt' | 'tenant' | 'taskQueue'
  > & {
    released?: boolean;
  };

/** If `wakeAt` is null, no claim pass reads the timer until somebody wakes it. */
export interface TimerAdvance {
  scheduleId: string;
  wakeAt: Date | null;
  nextFireAt: Date | null;
  lastFireAt: Date | null;
  answeredTo: Date;
  /** How many of the schedule's remaining actions this claim uses. */
  actions: number;
  /** Whether the schedule will never fire by itself again: no action is left, or the spec has ended. */
  completed: boolean;
}

/**
 * ∅ → claimed | skipped | buffered, and advance the locked timers, in one statement. Occurrences that already have a
 * row keep it and are not returned.
 */
export async function recordClaims(
  transaction: Store,
  firings: NewFiring[],
  advances: TimerAdvance[],
  now: Date,
): Promise<WrittenFiring[]> {
  if (firings.length + advances.length === 0) return [];
  for (const { state } of firings) transition('absent', state);
  const column = <K extends keyof NewFiring>(key: K) => firings.map((firing) => firing[key]);
  // Only firings that wait for their start belong to a lane.
  const waits = <K extends 'tenant' | 'taskQueue' | 'late' | 'readyAt'>(key: K) =>
    firings.map((firing) => (firing.state === 'claimed' ? firing[key] : null));
  const next = <K extends keyof TimerAdvance>(key: K) => advances.map((advance) => advance[key]);
  const { rows } = await sql<{ count: number | null } & FiringKey>`
    with inserted as (
      insert into ${transaction.table('firings')} (schedule_id, scheduled_time, state, reason, kind, namespace,
        schedule_version, workflow_id, claimed_at, starts_at, tenant, task_queue, late, ready_at)
      select x.schedule_id, x.scheduled_time, x.state, x.reason, x.kind, x.namespace, x.version, x.workflow_id,
        ${now}::timestamptz, x.starts_at, x.tenant, x.task_queue, x.late, x.ready_at
      from unnest(${column('scheduleId')}::text[], ${column('scheduledTime')}::timestamptz[], ${column('state')}::text[],
        ${column('reason')}::text[], ${column('kind')}::text[], ${column('namespace')}::text[],
        ${column('version')}::int[], ${column('workflowId')}::text[], ${column('startsAt')}::timestamptz[], ${waits('tenant')}::text[],
        ${waits('taskQueue')}::text[], ${waits('late')}::bool[], ${waits('readyAt')}::timestamptz[])
        as x (schedule_id, scheduled_time, state, reason, kind, namespace, version, workflow_id, starts_at, tenant, task_queue, late, ready_at)
      order by x.schedule_id, x.scheduled_time
      on conflict (schedule_id, scheduled_time) do nothing
      returning schedule_id, scheduled_time),
    advanced as (
      update ${transaction.table('timers')} t set wake_at = coalesce(x.wake_at, 'infinity'), next_fire_at = x.next_fire_at,
        last_fire_at = coalesce(x.last_fire_at, t.last_fire_at), answered_to = greatest(t.answered_to, x.answered_to),
        remaining_actions = t.remaining_actions - x.actions, seq = t.seq + 1,
        -- A client of an older version that gives a completed schedule further times leaves it completed.
        completed_at = case when x.completed then coalesce(t.completed_at, ${now}) when x.next_fire_at is null then t.completed_at end,
        completed_by = case when x.completed or x.next_fire_at is null then t.completed_by end
      from unnest(${next('scheduleId')}::text[], ${next('wakeAt')}::timestamptz[], ${next('nextFireAt')}::timestamptz[],
        ${next('lastFireAt')}::timestamptz[], ${next('answeredTo')}::timestamptz[], ${next('actions')}::int[],
        ${next('completed')}::bool[])
        as x (schedule_id, wake_at, next_fire_at, last_fire_at, answered_to, actions, completed)
      where t.schedule_id = x.schedule_id)
    -- If all firings were inserted, their number alone is returned.
    select count(*)::int as count, null as "scheduleId", null as "scheduledTime" from inserted
    union all select null, schedule_id, scheduled_time from inserted
      where (select count(*) from inserted) < ${firings.length}`.execute(transaction.db);
  if (rows.some((row) => row.count === firings.length)) return firings;
  const inserted = new Set(rows.filter((row) => row.count === null).map(nameOf));
  return firings.filter((firing) => inserted.has(nameOf(firing)));
}

export type ReleasedFiring = FiringKey &
  (
    | { state: 'skipped'; reason: string }
    | ({ state: 'claimed'; reason: null } & Pick<NewFiring, 'tenant' | 'readyAt' | 'late'>)
  );

/**
 * buffered → claimed | skipped, under the schedule's lock. The task queue comes from the schedule version that the
 * firing keeps.
 */
export async function releaseBuffered(
  transaction: Store,
  released: ReleasedFiring[],
  now: Date,
): Promise<WrittenFiring[]> {
  if (released.length === 0) return [];
  for (const { state } of released) transition('buffered', state);
  const column = <K extends 'scheduleId' | 'scheduledTime' | 'state' | 'reason'>(key: K) =>
    released.map((firing) => firing[key]);
  const waits = <K extends 'tenant' | 'readyAt' | 'late'>(key: K) =>
    released.map((firing) => (firing.state === 'claimed' ? firing[key] : null));
  const { rows } = await sql<WrittenFiring>`
    update ${transaction.table('firings')} f set state = x.state, reason = x.reason, claimed_at = ${now},
      tenant = x.tenant, late = x.late, ready_at = x.ready_at,
      task_queue = case when x.state = 'claimed' then ${queueOfLane(sql`(select v.action ->> 'taskQueue'
        from ${transaction.table('schedule_versions')} v where v.schedule_id = f.schedule_id and v.version = f.schedule_version)`)} end
    from unnest(${column('scheduleId')}::text[], ${column('scheduledTime')}::timestamptz[], ${column('state')}::text[],
      ${column('reason')}::text[], ${waits('tenant')}::text[], ${waits('late')}::bool[], ${waits('readyAt')}::timestamptz[])
      as x (schedule_id, scheduled_time, state, reason, tenant, late, ready_at)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('buffered')}
    returning f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.state, f.reason, f.kind,
      f.workflow_id as "workflowId", f.namespace, f.starts_at as "startsAt", f.late, f.ready_at as "readyAt", true as released, f.tenant,
      f.task_queue as "taskQueue"`.execute(transaction.db);
  return rows;
}

export async function postponeTimers(transaction: Store, scheduleIds: string[], until: Date): Promise<void> {
  if (scheduleIds.length === 0) return;
  await sql`update ${transaction.table('timers')} set wake_at = ${until}, seq = seq + 1
    where schedule_id = any(${scheduleIds})`.execute(transaction.db);
}
