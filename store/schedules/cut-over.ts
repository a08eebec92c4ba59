import { sql } from 'kysely';
import type { Gap } from '../../core/decisions/catchup';
import { transition } from '../../core/firing';
import type { Store } from '../connection';
import { insertGaps } from '../firings/gaps';
import { inState } from '../firings/keys';
import { ensurePartitions, oneOfEachMonth } from '../firings/partitions';
import { formatOf } from '../spec-format';
import { unlessNewer } from './kept-form';
import type { LockedSchedule } from './lock';

/** A workflow that a Temporal schedule started and that still runs. */
export interface RunningNative {
  scheduledTime: Date;
  workflowId: string;
  runId: string;
}

/** Where a schedule in the ledger continues the work of its Temporal schedule. */
export interface TakeOver {
  /** The first nominal time that fires in the ledger; undefined if none is left. */
  from: Date | undefined;
  /** The Temporal schedule has answered all occurrences up to this time. */
  answeredTo: Date;
  /** Occurrences that Temporal has answered and that have no row in the ledger. */
  gaps: Gap[];
  running: RunningNative[];
  paused: boolean;
  note: string | null;
  remainingActions: number | null;
  actor: string;
}

/**
 * Let the ledger answer an imported schedule's occurrences after `answeredTo`, under the schedule's lock. Occurrences
 * after `answeredTo` that were answered in shadow mode are answered again. Running workflows of the Temporal schedule
 * are linked in the ledger, so that overlap considers them.
 */
export async function takeOver(transaction: Store, locked: LockedSchedule, to: TakeOver): Promise<void> {
  const { scheduleId, now } = locked;
  await deleteShadows(transaction, locked, to.answeredTo);
  const gaps = to.gaps.map((gap) => ({ scheduleId, ...gap }));
  await insertGaps(transaction, gaps, now);
  await linkRunning(transaction, locked, to.running);
  const paused = to.paused ? sql`coalesce(paused_at, ${now}::timestamptz)` : sql`null`;
  const by = to.paused ? sql`coalesce(paused_by, ${to.actor})` : sql`null`;
  await sql`update ${transaction.table('schedules')} set paused = ${to.paused}, note = ${to.note}, updated_at = ${now}, paused_at = ${paused},
      paused_by = ${by}, paused_until = null, spec_error = null, set_aside_at = null,
      unpaused_at = case when paused and not ${to.paused}::bool then ${now}::timestamptz else unpaused_at end,
      unpaused_by = case when paused and not ${to.paused}::bool then ${to.actor} else unpaused_by end
    where schedule_id = ${scheduleId}`.execute(transaction.db);
  const form = unlessNewer(sql`${formatOf(locked.definition)}::smallint`);
  await sql`update ${transaction.table('timers')} t set spec_format = ${form}, wake_at = ${now}, answered_to = ${to.answeredTo},
      next_fire_at = ${to.paused ? null : (to.from ?? null)}::timestamptz, remaining_actions = ${to.remainingActions}::int,
      completed_at = case when ${to.remainingActions}::int = 0 then coalesce(completed_at, ${now}) end,
      completed_by = case when ${to.remainingActions}::int = 0 then completed_by end, seq = seq + 1
    where schedule_id = ${scheduleId}`.execute(transaction.db);
}

/**
 * skipped (shadow) → ∅, so that these occurrences are answered again: those later than `after`, or those at `times`.
 */
export async function deleteShadows(
  transaction: Store,
  { scheduleId }: { scheduleId: string },
  after: Date,
  times: Date[] = [],
): Promise<void> {
  transition('skipped', 'absent');
  const shadows = sql`from ${transaction.table('firings')} f
    where f.schedule_id = ${scheduleId} and (f.scheduled_time > ${after} or f.scheduled_time = any(${times}::timestamptz[]))
      and ${inState('skipped')} and f.reason = 'shadow'`;
  // If there are none, nothing is deleted, so that the caller's role needs no right to delete.
  const { rows } = await sql`select 1 as one ${shadows} limit 1`.execute(transaction.db);
  if (rows.length > 0) await sql`delete ${shadows}`.execute(transaction.db);
}

/**
 * ∅ | skipped → claimed → linked, for workflows that still run. Each chain is due to be polled, since it may have ended
 * in the meantime.
 */
async function linkRunning(transaction: Store, locked: LockedSchedule, running: RunningNative[]): Promise<void> {
  if (running.length === 0) return;
  for (const from of ['absent', 'buffered'] as const) transition(from, 'claimed');
  transition('skipped', 'buffered');
  // The occurrence of a running workflow must not fire again, however old its month is.
  await ensurePartitions(transaction, oneOfEachMonth(running.map(({ scheduledTime }) => scheduledTime)), {
    allowRetired: true,
  });
  const { now, definition } = locked;
  await sql`
    insert into ${transaction.table('firings')} as f (schedule_id, scheduled_time, state, kind, namespace, schedule_version,
      workflow_id, run_id, claimed_at, first_attempted_at, start_attempted_at, linked_at, check_at)
    select ${locked.scheduleId}, x.scheduled_time, ${transition('claimed', 'linked')}, 'schedule', ${definition.namespace},
      ${locked.version}::int, x.workflow_id, x.run_id, ${now}, ${now}, ${now}, ${now}, ${now}
    from unnest(${running.map((one) => one.scheduledTime)}::timestamptz[], ${running.map((one) => one.workflowId)}::text[],
      ${running.map((one) => one.runId)}::text[]) as x (scheduled_time, workflow_id, run_id)
    order by x.scheduled_time
    on conflict (schedule_id, scheduled_time) do update set state = excluded.state, reason = null, actor = null, workflow_id = excluded.workflow_id,
      run_id = excluded.run_id, linked_at = excluded.linked_at, closed_at = null, check_at = excluded.check_at, kind = excluded.kind,
      namespace = excluded.namespace, schedule_version = excluded.schedule_version, overlap = null, interrupt = null, recovery = null,
      last_error = null, refused_since = null
      where f.state = 'skipped' and f.epoch = 0`.execute(transaction.db);
}

/**
 * Pause a locked schedule that the ledger no longer runs. Its claimed firings of the spec and, up to the remaining
 * actions, its buffered ones become backfills, which a pause does not skip. The buffered firings use up actions now. A
 * freeze no longer holds them, since Temporal's schedule, which runs the later times, knows no freezes.
 *
 * @returns the actions that remain; null for no limit
 */
export async function handBack(
  transaction: Store,
  locked: LockedSchedule,
  { note, actor }: { note: string; actor: string },
): Promise<number | null> {
  const { scheduleId, now, definition, remainingActions } = locked;
  const { rows } = await sql<{ state: string }>`
    update ${transaction.table('firings')} f set kind = 'backfill', actor = coalesce(f.actor, ${actor})
    where f.schedule_id = ${scheduleId} and f.state in ('buffered', 'claimed') and f.kind in ('schedule', 'catchup')
      and (f.state = 'claimed' or f.scheduled_time in (
        select f.scheduled_time from ${transaction.table('firings')} f
        where f.schedule_id = ${scheduleId} and f.state = 'buffered' and f.kind in ('schedule', 'catchup')
        order by f.scheduled_time limit ${remainingActions}::int))
    returning f.state`.execute(transaction.db);
  await sql`update ${transaction.table('schedules')} set paused = true, note = ${note}, updated_at = ${now},
      paused_at = case when paused then paused_at else ${now}::timestamptz end,
      paused_by = case when paused then paused_by else ${actor} end, paused_until = null
    where schedule_id = ${scheduleId}`.execute(transaction.db);
  const form = unlessNewer(sql`${formatOf(definition)}::smallint`);
  await sql`update ${transaction.table('timers')} t set wake_at = ${now}, next_fire_at = null, spec_format = ${form}, seq = seq + 1
    where schedule_id = ${scheduleId}`.execute(transaction.db);
  // A claimed firing has used its action at the claim.
  const actions = rows.filter(({ state }) => state === 'buffered').length;
  await takeActions(transaction, locked, actions);
  return remainingActions === null ? null : remainingActions - actions;
}

/** Use up actions for backfills of a locked schedule, since a claim uses up none for backfills. */
export async function takeActions(
  transaction: Store,
  { scheduleId, now }: { scheduleId: string; now: Date },
  actions: number,
): Promise<void> {
  if (actions === 0) return;
  await sql`update ${transaction.table('timers')} set remaining_actions = remaining_actions - ${actions}::int, seq = seq + 1,
      next_fire_at = case when remaining_actions = ${actions}::int then null else next_fire_at end,
      completed_at = case when remaining_actions = ${actions}::int then coalesce(completed_at, ${now}) else completed_at end
    where schedule_id = ${scheduleId}`.execute(transaction.db);
}
