import { type RawBuilder, sql } from 'kysely';
import { type FiringKey, isFailure, nameOf, transition } from '../../core/firing';
import type { Store } from '../connection';
import { type ChainEnd, type OpenedLetter, settleLetters } from '../letters/open-and-resolve';
import { lockTimers } from '../schedules/lock-timers';
import { pauseFailed } from '../schedules/pause-failed';
import { instantIn } from '../text';
import { transact } from '../transaction';
import { inMonthsOf, keysTable } from './keys';

export interface ClosedFiring extends ChainEnd {
  epoch: number;
  closedAt: Date;
  /** The first run of the chain, for a firing that closed before it was linked. */
  runId: string | null;
  /** The run whose end this is, after any retries, continue-as-new and resets; null if Temporal no longer knows. */
  endedRunId: string | null;
}

export interface Closings {
  closed: FiringKey[];
  /** Schedules that were paused because one of their firings failed. */
  paused: string[];
  letters: OpenedLetter[];
  /** Firings whose schedules another transaction keeps locked: nothing was recorded for them. */
  held: ClosedFiring[];
}

/**
 * linked | claimed → closed, under the locks of the schedules. Schedules with buffered firings are woken, and schedules
 * with `pauseOnFailure` are paused if the firing failed. Without the locks, another trigger could buffer a firing
 * behind one that has just closed, and nothing would soon release the buffered firing. Schedules that another
 * transaction keeps locked are left out: while this call waited for them, other transactions would wait for the
 * schedules that it has locked.
 */
export async function closeFirings(
  store: Store,
  ended: ClosedFiring[],
  watch: { now: Date; resetCheckAt: Date },
): Promise<Closings> {
  const { now } = watch;
  if (ended.length === 0) return { closed: [], paused: [], letters: [], held: [] };
  return transact(store, async (transaction) => {
    const locked = await lockTimers(transaction, ended, { waits: false });
    const closed = ended.filter((row) => locked.has(row.scheduleId));
    const held = ended.filter((row) => !locked.has(row.scheduleId));
    for (const from of ['linked', 'claimed'] as const) transition(from, 'closed');
    // `hasLetter` says which firings have letters to settle. The others need no further statement while the locks are
    // held.
    const { rows } = await sql<FiringKey & { hasLetter: boolean }>`
      with closed as (update ${transaction.table('firings')} f set state = 'closed', outcome = x.outcome, closed_at = x.closed_at,
        run_id = coalesce(f.run_id, x.run_id), linked_at = coalesce(f.linked_at, ${now}), owner = null, stalled = null,
        last_error = null, refused_since = null,
        check_at = case when x.outcome in ('completed', 'unknown') and not x.may_run then null else ${watch.resetCheckAt}::timestamptz end
      from unnest(${closed.map((row) => row.scheduleId)}::text[], ${closed.map((row) => row.scheduledTime)}::timestamptz[],
        ${closed.map((row) => row.epoch)}::int[], ${closed.map((row) => row.outcome)}::text[],
        ${closed.map((row) => row.closedAt)}::timestamptz[], ${closed.map((row) => row.runId)}::text[],
        ${closed.map((row) => row.mayRun ?? false)}::bool[], ${closed.map((row) => row.endedRunId)}::text[])
        as x (schedule_id, scheduled_time, epoch, outcome, closed_at, run_id, may_run, ended_run_id)
      where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and f.epoch = x.epoch
        and ${inMonthsOf(closed, 'linked', 'claimed')} and not ${isBeingReset(transaction, now)}
      returning f.schedule_id, f.scheduled_time),
      woken as (${wakeBufferingOf(transaction, sql`closed`, now)})
      select c.schedule_id as "scheduleId", c.scheduled_time as "scheduledTime", exists (
        select from ${transaction.table('dead_letters')} l where l.schedule_id = c.schedule_id
          and l.scheduled_time = c.scheduled_time and l.state in ('open', 'redriving')) as "hasLetter"
      from closed c`.execute(transaction.db);
    const closings = new Set(rows.map(nameOf));
    const withLetters = new Set(rows.filter(({ hasLetter }) => hasLetter).map(nameOf));
    const recorded = closed.filter((row) => closings.has(nameOf(row)));
    const lettered = recorded.filter((row) => isFailure(row.outcome) || withLetters.has(nameOf(row)));
    const letters = await settleLetters(transaction, lettered, now);
    return { closed: rows, letters, paused: await pauseFailed(transaction, recorded, now), held };
  });
}

/**
 * True for every end of a firing `f` until the `lookAt` of the redrive that is about to reset its chain. After that, true
 * only for an end `x` of the run that was to be reset. Until the reset, Temporal shows that end, and another trigger may
 * have read it just before. If a close recorded that end, the next occurrence could start beside the run that
 * continues, and the redrive would be lost. The next trigger that takes the redrive resets the run, or closes the
 * firing with that end. If `lookAt` cannot be read, no trigger takes the redrive, and each end is recorded. A resume
 * that became a decision about its step keeps its `reset`, so that the undone end is still recognised.
 */
function isBeingReset(store: Store, now: Date): RawBuilder<unknown> {
  const lookAt = instantIn(sql`l.redrive`, 'lookAt');
  return sql`exists (select from ${store.table('dead_letters')} l where l.schedule_id = f.schedule_id
    and l.scheduled_time = f.scheduled_time and l.state = 'redriving' and l.redrive ? 'reset'
    and case when l.redrive ? 'lookAt' and l.redrive ->> 'mode' = 'resume' and (${lookAt} <= ${now}) is not true then ${lookAt} > ${now}
      else l.redrive -> 'reset' ->> 'runId' = x.ended_run_id end offset 0)`;
}

/** Make the schedules of these firings due for the claim pass, if they have buffered firings. */
export async function wakeBuffering(transaction: Store, keys: FiringKey[], now: Date): Promise<void> {
  if (keys.length === 0) return;
  await wakeBufferingOf(transaction, keysTable(keys), now).execute(transaction.db);
}

/**
 * Like {@link wakeBuffering}, for a table `firings` with a column `schedule_id`. The `offset` and the `greatest` make
 * the planner look each schedule up by its key. By its statistics, the planner may assume that another index is empty,
 * although a long snapshot keeps old entries there.
 */
function wakeBufferingOf(transaction: Store, firings: RawBuilder<unknown>, now: Date): RawBuilder<unknown> {
  return sql`update ${transaction.table('timers')} t set wake_at = ${now}, seq = seq + 1
    where t.schedule_id in (select schedule_id from ${firings})
      and greatest(t.wake_at, ${now}) > ${now} and exists (select from ${transaction.table('firings')} b
        where b.schedule_id = t.schedule_id and b.state = 'buffered' offset 0)`;
}
