import { sql } from 'kysely';
import type { Store } from '../connection';
import { IS_WAITING, PARKED_SINCE } from '../letters/parked-firings';

/** A firing for which a workflow was started. */
export interface TakenAction {
  scheduledTime: Date;
  takenAt: Date;
  workflowId: string;
  runId: string;
}

export interface ParkedAction {
  scheduledAt: Date;
  workflowId: string;
  step: string;
  letterId: string;
  /** Since when the step is parked. */
  since: Date;
}

/**
 * The schedule's latest and running actions, its parked steps, and counts. Of its 10,000 latest firings and its 10,000
 * latest gaps, those are counted that were claimed or recorded since the schedule's creation.
 */
export interface ActionInfo {
  /** The last ten counted actions, in the order in which they were taken. */
  recent: TakenAction[];
  /**
   * Firings whose workflows still run, by the ledger, in the order in which they were linked: at most the 1,000 latest.
   */
  running: TakenAction[];
  /** Parked steps, in the order of their firings, at most 1,000. */
  parked: ParkedAction[];
  taken: number;
  /** Occurrences in gaps outside the catch-up window or over the catch-up limit. */
  missedCatchupWindow: number;
  skippedOverlap: number;
  /** Firings are counted since the latest of: creation, end of the retired months, 10,000th latest firing. */
  countedFrom: Date;
}

const RECENT = 10;
const RUNNING_AT_MOST = 1_000;
const COUNTED_AT_MOST = 10_000;

interface Row extends Omit<ActionInfo, 'recent' | 'running' | 'parked'> {
  recent: Stored[];
  running: Stored[];
  parked: Record<keyof ParkedAction, string>[];
}
type Stored = Record<keyof TakenAction, string>;

const TAKEN = sql`jsonb_build_object('scheduledTime', scheduled_time, 'takenAt', linked_at, 'workflowId', workflow_id,
  'runId', run_id)`;

export async function readActionInfo(
  store: Store,
  schedule: { scheduleId: string; createdAt: Date },
): Promise<ActionInfo> {
  const { scheduleId, createdAt } = schedule;
  // The statement must begin with SELECT: in a caller's transaction, a statement that begins with WITH returns rows in
  // the form of the caller's driver.
  const { rows } = await sql<Row>`select * from (
    with newest as materialized (
      select scheduled_time, state, reason, workflow_id, run_id, linked_at, claimed_at from ${store.table('firings')}
      where schedule_id = ${scheduleId} order by scheduled_time desc limit ${COUNTED_AT_MOST}),
    counted as (select * from newest where claimed_at >= ${createdAt}),
    taken as (select * from counted where linked_at is not null and run_id is not null),
    missed as (
      select reason, count, recorded_at from ${store.table('gaps')}
      where schedule_id = ${scheduleId} order by from_time desc limit ${COUNTED_AT_MOST})
    select
      coalesce((select jsonb_agg(${TAKEN} order by linked_at, scheduled_time)
        from (select * from taken order by linked_at desc, scheduled_time desc limit ${RECENT}) r), '[]') as recent,
      coalesce((select jsonb_agg(${TAKEN} order by linked_at, scheduled_time)
        from (select scheduled_time, workflow_id, run_id, linked_at from ${store.table('firings')}
          where schedule_id = ${scheduleId} and state = 'linked'
          order by scheduled_time desc limit ${RUNNING_AT_MOST}) o), '[]') as running,
      coalesce((select jsonb_agg(jsonb_build_object('scheduledAt', scheduled_time, 'workflowId', workflow_id, 'step', step,
          'letterId', letter_id, 'since', since) order by scheduled_time, since)
        from (select l.*, l.failed_step ->> 'activityType' as step, ${PARKED_SINCE} as since
          from ${store.table('dead_letters')} l
          where l.schedule_id = ${scheduleId} and ${IS_WAITING} order by scheduled_time limit ${RUNNING_AT_MOST}) w), '[]') as parked,
      (select count(*) from taken) as taken,
      (select count(*) from counted where state = 'skipped' and reason in ('overlap', 'overlap_waiting', 'superseded', 'cancel_ignored'))
        as "skippedOverlap",
      (select coalesce(sum(count), 0)::bigint from missed
        where reason in ('outside_catchup_window', 'over_catchup_limit') and recorded_at >= ${createdAt})
        as "missedCatchupWindow",
      greatest(${createdAt}::timestamptz, (select (value #>> '{}')::timestamptz from ${store.table('meta')} where key = 'retention_floor'),
        (select min(scheduled_time) from newest having count(*) = ${COUNTED_AT_MOST})) as "countedFrom") info`.execute(
    store.db,
  );
  const { recent, running, parked, ...counts } = rows[0]!;
  return {
    ...counts,
    recent: recent.map(revive),
    running: running.map(revive),
    parked: parked.map((one) => ({ ...one, scheduledAt: new Date(one.scheduledAt), since: new Date(one.since) })),
  };
}

export interface ListedActions {
  /**
   * The latest actions: of the latest twenty firings that are not excluded, at most five that became workflows, in the
   * order in which they were taken.
   */
  recent: TakenAction[];
  excluded: Date[];
}

const LISTED = 5;
/** How many firings of a schedule a list reads: if overlap skipped many firings, a page must not read all of them. */
const LOOKED_AT = 20;

export async function readListedActions(
  store: Store,
  schedules: { scheduleId: string; createdAt: Date }[],
  after: Date,
): Promise<Map<string, ListedActions>> {
  if (schedules.length === 0) return new Map();
  const ids = schedules.map(({ scheduleId }) => scheduleId);
  const created = schedules.map(({ createdAt }) => createdAt);
  const { rows } = await sql<{ scheduleId: string; recent: Stored[]; excluded: string[] }>`select
      x.schedule_id as "scheduleId",
      coalesce((select jsonb_agg(${TAKEN} order by linked_at, scheduled_time) from (
        select * from (
          select scheduled_time, workflow_id, run_id, linked_at, claimed_at from ${store.table('firings')} f
          where f.schedule_id = x.schedule_id and f.reason is distinct from 'excluded'
          order by f.scheduled_time desc limit ${LOOKED_AT}) newest
        where linked_at is not null and run_id is not null and claimed_at >= x.created_at
        order by linked_at desc, scheduled_time desc limit ${LISTED}) taken), '[]') as recent,
      coalesce((select jsonb_agg(f.scheduled_time) from ${store.table('firings')} f
        where f.schedule_id = x.schedule_id and f.scheduled_time > ${after} and f.state = 'skipped'
          and f.reason = 'excluded'), '[]') as excluded
    from unnest(${ids}::text[], ${created}::timestamptz[]) x (schedule_id, created_at)`.execute(store.db);
  return new Map(
    rows.map(({ scheduleId, recent, excluded }) => [
      scheduleId,
      { recent: recent.map(revive), excluded: excluded.map((time) => new Date(time)) },
    ]),
  );
}

function revive({ scheduledTime, takenAt, ...workflow }: Stored): TakenAction {
  return { ...workflow, scheduledTime: new Date(scheduledTime), takenAt: new Date(takenAt) };
}
