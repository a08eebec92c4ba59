import { sql } from 'kysely';
import { type FiringKey, transition } from '../../core/firing';
import type { Store } from '../connection';
import { wakeBuffering } from '../firings/close';
import { lockTimers } from '../schedules/lock-timers';
import { instantIn } from '../text';
import { run, transact } from '../transaction';
import { isPending, type PendingRedrive } from './redrive';
import { hasRoom, isResetByAnother } from './redrive-turns';
import { type Resumed, type ResumedWith, settleResumed } from './settle-resumed';

/**
 * redriving → open: the redrive cannot be carried out, and the letter's note gives the reason. A firing whose reset was
 * announced is closed again, with its former end.
 *
 * @returns false if the redrive is no longer pending
 */
export async function refuseRedrive(store: Store, redrive: PendingRedrive, note: string, now: Date): Promise<boolean> {
  return transact(store, async (transaction) => {
    await lockTimers(transaction, [redrive]);
    const { rows } = await sql`update ${transaction.table('dead_letters')}
      set state = 'open', note = ${note}, redrive = redrive - 'lookAt', updated_at = ${now}
      where ${isPending(redrive)} returning 1 as one`.execute(transaction.db);
    if (rows.length === 0) return false;
    await closeAgain(transaction, redrive, now);
    return true;
  });
}

/**
 * linked → closed, with the end that the announcement of a reset has put into the letter. The next poll may no longer
 * find that end: Temporal may have removed the run.
 */
async function closeAgain(transaction: Store, redrive: PendingRedrive, now: Date): Promise<void> {
  const { numAffectedRows = 0n } = await sql`update ${transaction.table('firings')} f
    set state = ${transition('linked', 'closed')}, outcome = l.redrive #>> '{reset,outcome}',
      closed_at = coalesce(${instantIn(sql`(l.redrive -> 'reset')`, 'closedAt')}, ${now}), check_at = ${now}
    from ${transaction.table('dead_letters')} l
    where l.letter_id = ${redrive.letterId} and l.redrive ->> 'mode' = 'resume' and l.redrive -> 'reset' ? 'closedAt'
      and f.schedule_id = ${redrive.scheduleId} and f.scheduled_time = ${redrive.scheduledTime} and f.epoch = ${redrive.epoch}
      and f.state = 'linked'`.execute(transaction.db);
  if (numAffectedRows > 0n) await wakeBuffering(transaction, [redrive], now);
}

/**
 * Record that the waiting step has received the decision: the step continues, or its letter is discarded, or the step
 * fails and its letter becomes one of kind `workflow`. Returns false if the redrive is no longer pending.
 */
export async function recordDecision(store: Store, redrive: PendingRedrive, now: Date): Promise<boolean> {
  const { mode } = redrive.request;
  const state = mode === 'discard' ? 'discarded' : mode === 'expire' ? 'open' : 'redriving';
  const expired = mode === 'expire' ? sql`kind = 'workflow', reason = 'parked_too_long',` : sql``;
  // The decision is stored with the step too, since a later redrive replaces the request.
  const { rows } = await run(
    store,
    sql`update ${store.table('dead_letters')} set state = ${state}, ${expired} updated_at = ${now},
        failed_step = failed_step || jsonb_build_object('decided', ${mode}::text),
        redrive = redrive - 'lookAt' || jsonb_build_object('carriedOutAt', ${now.toISOString()}::text)
      where ${isPending(redrive)} returning 1 as one`,
  );
  return rows.length > 0;
}

/**
 * Settle the redrive of a parked step that the close of its chain did not settle, under the schedule's lock. The step
 * no longer waits. If the chain completed, the letter is resolved. Otherwise a discard is carried out, and any other
 * letter opens as the letter of a chain that ended. If the ledger no longer has the firing, its end is unknown.
 *
 * @returns false if the firing has not ended or has another epoch, or the redrive is no longer pending
 */
export async function settleByEnd(store: Store, redrive: PendingRedrive, now: Date): Promise<boolean> {
  return transact(store, async (transaction) => {
    await lockTimers(transaction, [redrive]);
    const { rows } = await sql`
      with ended as (
        select coalesce(f.outcome, 'unknown') as outcome from ${transaction.table('dead_letters')} l
        left join ${transaction.table('firings')} f using (schedule_id, scheduled_time)
        where l.letter_id = ${redrive.letterId} and (f.state is null or (f.state = 'closed' and f.epoch = ${redrive.epoch})))
      update ${transaction.table('dead_letters')} l set updated_at = ${now}, redrive = l.redrive - 'lookAt',
        state = case when f.outcome = 'completed' then 'resolved' when l.redrive ->> 'mode' = 'discard' then 'discarded'
          else 'open' end,
        kind = case f.outcome when 'completed' then l.kind else 'workflow' end,
        reason = case f.outcome when 'completed' then l.reason else f.outcome end,
        note = 'its workflow had ended by then: ' || f.outcome
      from ended f
      where l.letter_id = ${redrive.letterId} and l.state = 'redriving'
        and l.redrive ->> 'requestId' = ${redrive.request.requestId} and l.redrive ? 'lookAt'
      returning 1 as one`.execute(transaction.db);
    return rows.length > 0;
  });
}

export interface Reclaim {
  epoch: number;
  version: number;
  namespace: string;
  workflowId: string;
  taskQueue: string;
  now: Date;
}

/**
 * abandoned | closed → claimed, and the letter changes with it, under the schedule's lock. The reclaimed firing waits
 * for its start like any claim, behind firings that are on time.
 *
 * @returns false if the redrive or the firing has changed, or the redrive is paced and the schedule may have no more
 * open firings
 */
export async function reclaimFiring(
  store: Store,
  redrive: PendingRedrive & { state: 'abandoned' | 'closed' },
  claim: Reclaim,
): Promise<boolean> {
  return transact(store, async (transaction) => {
    await lockTimers(transaction, [redrive]);
    if (!(await isStillPending(transaction, redrive)) || !(await hasRoom(transaction, redrive))) return false;
    const { rows } = await sql`
      update ${transaction.table('firings')} set state = ${transition(redrive.state, 'claimed')}, epoch = ${claim.epoch},
        schedule_version = ${claim.version}, namespace = ${claim.namespace}, workflow_id = ${claim.workflowId}, run_id = null,
        outcome = null, reason = null, owner = null, check_at = null, tenant = ${redrive.tenant}, task_queue = ${claim.taskQueue}, late = true,
        ready_at = ${claim.now}, starts_at = null, start_attempts = 0,
        first_attempted_at = null, start_attempted_at = null, recovery = null, last_error = null, refused_since = null, interrupt = null,
        interrupt_at = null, interrupted_at = null, stalled = null, claimed_at = ${claim.now}, linked_at = null, closed_at = null
      where ${isFiring(redrive)} and state = ${redrive.state} returning 1 as one`.execute(transaction.db);
    if (rows.length === 0) return false;
    await settleRequest(transaction, redrive, claim.now);
    await sql`update ${transaction.table('dead_letters')} set epoch = ${claim.epoch}, namespace = ${claim.namespace},
        workflow_id = ${claim.workflowId}, run_id = null
      where letter_id = ${redrive.letterId}`.execute(transaction.db);
    return true;
  });
}

/**
 * closed | linked → linked, for the chain that a reset continued; the firing's letters change with it, under the
 * schedule's lock.
 *
 * @returns the firing's other letters that have changed; undefined if the redrive is no longer pending, if the firing
 * has changed, or if another letter has announced the reset, and settles this one too
 */
export async function relinkFiring(
  store: Store,
  redrive: PendingRedrive,
  { cancelAt, ...resumed }: Resumed & { cancelAt: Date | null },
): Promise<ResumedWith[] | undefined> {
  const { now } = resumed;
  return transact(store, async (transaction) => {
    await lockTimers(transaction, [redrive]);
    if (!(await isStillPending(transaction, redrive)) || (await isResetByAnother(transaction, redrive)))
      return undefined;
    // The firing is linked already, and so blocks its schedule, if its reset was announced or its chain was found
    // running. An interrupt that was sent since may have found only the run that had ended, so it is sent again. Its
    // later time distinguishes it from the former interrupt, which may still be recorded as sent.
    const interrupt = cancelAt ? 'cancel' : null;
    const { numAffectedRows = 0n } = await sql`
      update ${transaction.table('firings')} set state = ${transition('closed', 'linked')}, outcome = null, reason = null,
        closed_at = null, check_at = ${now}, stalled = null, interrupted_at = null,
        interrupt = case when state = 'linked' then coalesce(interrupt, ${interrupt}) else ${interrupt} end,
        interrupt_at = case when state = 'linked' and interrupt_at is not null
          then greatest(interrupt_at + interval '1 millisecond', ${now}::timestamptz) else ${cancelAt}::timestamptz end
      where ${isFiring(redrive)} and state in ('closed', 'linked')`.execute(transaction.db);
    if (numAffectedRows === 0n) return undefined;
    return settleResumed(transaction, redrive, resumed);
  });
}

/** The row is locked, so a pending request stays pending until the transaction ends. */
async function isStillPending(transaction: Store, redrive: PendingRedrive): Promise<boolean> {
  const { rows } = await sql`select 1 as one from ${transaction.table('dead_letters')} where ${isPending(redrive)}
    for no key update`.execute(transaction.db);
  return rows.length > 0;
}

/** Record that the request was carried out; the letter stays `redriving`. */
async function settleRequest(transaction: Store, { letterId }: PendingRedrive, now: Date): Promise<void> {
  await sql`update ${transaction.table('dead_letters')} set updated_at = ${now},
      redrive = redrive - 'lookAt' || jsonb_build_object('carriedOutAt', ${now.toISOString()}::text)
    where letter_id = ${letterId}`.execute(transaction.db);
}

function isFiring({ scheduleId, scheduledTime, epoch }: FiringKey & { epoch: number }) {
  return sql`schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime} and epoch = ${epoch}`;
}
