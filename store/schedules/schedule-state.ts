import { type RawBuilder, sql } from 'kysely';
import type { Gap } from '../../core/decisions/catchup';
import type { Store } from '../connection';
import { insertGap } from '../firings/gaps';
import { skipAllLeft, skipWaiting } from '../firings/skip-waiting';
import { formatOf } from '../spec-format';
import { endingPause, keepingForm } from './kept-form';
import type { LockedSchedule } from './lock';

// The functions in this file run under the schedule's lock. Most of these functions wake the timer: the claim pass then
// reads the new state, and puts the schedule to sleep or sets its next occurrence.

/**
 * Live → paused: from now on no firing of the spec starts, except redriven ones, and those that were announced or
 * claimed ahead before. If the schedule is paused several times, the last call decides when the pause ends, or that it
 * does not end.
 */
export async function pauseSchedule(
  transaction: Store,
  locked: LockedSchedule,
  { note, actor, until }: { note: string | undefined; actor: string; until: Date | undefined },
): Promise<void> {
  // If the schedule is already paused, the time and the actor of the first pause stay.
  const isPaused = sql`paused and (paused_until is null or paused_until > ${locked.now})`;
  await sql`update ${transaction.table('schedules')} set paused = true, note = ${note ?? null}, updated_at = ${locked.now},
      paused_at = case when ${isPaused} then paused_at else ${locked.now}::timestamptz end,
      paused_by = case when ${isPaused} then paused_by else ${actor} end, paused_until = ${until ?? null}
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
  const skipped = await skipWaiting(transaction, [locked.scheduleId], locked.now);
  // If the schedule was paused without an end and stays so, a trigger has nothing to plan, unless a firing waited
  // behind a skipped one.
  if (locked.paused && !locked.pausedUntil && !until && skipped === 0) return;
  await wake(transaction, locked, {
    nextFireAt: null,
    form: keepingForm(sql`${formatOf({ spec: locked.definition.spec, pausedUntil: until })}::smallint`),
  });
}

/**
 * Paused → live. If the end of the pause has passed, the schedule counts as live from that end on, since an update may
 * have left firings after it. `change` contains the answers to the occurrences during the pause. If the stored spec
 * cannot be evaluated, `change` is undefined, and no occurrence is answered. A schedule with an unusable definition stays
 * set aside.
 */
export async function unpauseSchedule(
  transaction: Store,
  locked: LockedSchedule,
  { note, actor }: { note: string | undefined; actor: string },
  change: { gaps: Gap[]; answeredTo: Date; nextFireAt: Date | undefined } | undefined,
): Promise<void> {
  // Some firings may still wait, if the process that paused the schedule died.
  await skipAllLeft(transaction, [locked.scheduleId], locked.now);
  const aside = change && locked.damaged.length === 0 ? sql`, spec_error = null, set_aside_at = null` : sql``;
  await sql`update ${transaction.table('schedules')} set paused = false, note = ${note ?? null}, updated_at = ${locked.now},
      paused_at = null, paused_by = null, paused_until = null, unpaused_at = least(paused_until, ${locked.now}),
      unpaused_by = case when paused_until <= ${locked.now} then null else ${actor}::text end${aside}
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
  for (const gap of change?.gaps ?? []) await insertGap(transaction, locked.scheduleId, gap, locked.now);
  if (change) {
    await sql`update ${transaction.table('timers')} set answered_to = greatest(answered_to, ${change.answeredTo})
      where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
  }
  const form = keepingForm(sql`${formatOf(locked.definition)}::smallint`);
  await wake(transaction, locked, { nextFireAt: change?.nextFireAt ?? null, form });
}

/** Live or paused → deleted. The schedule's history stays, and its name may be used again. */
export async function deleteSchedule(transaction: Store, locked: LockedSchedule): Promise<void> {
  await sql`update ${transaction.table('schedules')} set deleted_at = ${locked.now}, updated_at = ${locked.now}
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
  await skipWaiting(transaction, [locked.scheduleId], locked.now);
  // A trigger of any version may take a deleted schedule, since it only skips the waiting firings.
  await wake(transaction, locked, { nextFireAt: null, form: sql`1` });
}

export async function endPauses(
  transaction: Store,
  ended: { scheduleId: string; until: Date }[],
  now: Date,
): Promise<void> {
  if (ended.length === 0) return;
  await sql`
    with over as (
      select * from unnest(${ended.map((one) => one.scheduleId)}::text[], ${ended.map((one) => one.until)}::timestamptz[])
        as x (schedule_id, until)),
    unpaused as (
      update ${transaction.table('schedules')} s set paused = false, paused_at = null, paused_by = null, paused_until = null,
        unpaused_at = x.until, unpaused_by = null, updated_at = ${now}, note = 'its pause until '
          || to_char(x.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' is over'
      from over x where s.schedule_id = x.schedule_id)
    update ${transaction.table('timers')} t set spec_format = ${endingPause()} from over x where t.schedule_id = x.schedule_id`.execute(
    transaction.db,
  );
}

async function wake(
  transaction: Store,
  locked: LockedSchedule,
  { nextFireAt, form }: { nextFireAt: Date | null; form: RawBuilder<unknown> },
): Promise<void> {
  await sql`update ${transaction.table('timers')} t set wake_at = ${locked.now}, next_fire_at = ${nextFireAt}, seq = seq + 1,
      spec_format = ${form}
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
}
