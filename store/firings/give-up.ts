import { sql } from 'kysely';
import { type FiringKey, type FiringKind, transition } from '../../core/firing';
import type { Store } from '../connection';
import { buryAbandoned, type OpenedLetter, resolveLetters } from '../letters/open-and-resolve';
import { lockTimers } from '../schedules/lock-timers';
import { transact } from '../transaction';
import { wakeBuffering } from './close';
import { inState } from './keys';
import { giveBackActions } from './skip-waiting';

/** The values of a claim that must be the same as when a decision about the claim was made. */
export interface DecidedOn {
  /** The trigger that owns the claim; null while the claim waits for its start. */
  owner: string | null;
  startAttemptedAt: Date | null;
}

/**
 * claimed → abandoned | skipped with a reason, under the schedule's lock. An abandoned firing gets a dead letter.
 *
 * @param decidedOn the claim at the time of the decision, if time has passed since then. If another trigger has taken
 * the claim over since, or its start was announced again, nothing is changed. With `decidedOn`, this call does not wait
 * for the lock
 * @returns the letters that this call opened; undefined if nothing was changed: the claim has changed or was settled
 * since, or another transaction keeps the schedule locked
 */
export async function giveUpFiring(
  store: Store,
  firing: FiringKey & { epoch: number },
  end: { state: 'abandoned' | 'skipped'; reason: string; error?: string },
  now: Date,
  decidedOn?: DecidedOn,
): Promise<{ letters: OpenedLetter[] } | undefined> {
  // A transaction that stays open on one schedule must block only the firings of this schedule.
  const waits = decidedOn === undefined;
  return transact(store, async (transaction) => {
    if (!(await lockTimers(transaction, [firing], { waits })).has(firing.scheduleId)) return undefined;
    const { rows } = await sql<FiringKey & { kind: FiringKind; claimedAt: Date }>`
      update ${transaction.table('firings')} f set state = ${transition('claimed', end.state)}, reason = ${end.reason},
        last_error = coalesce(${end.error ?? null}, last_error), closed_at = ${now}, owner = null, check_at = null
      where schedule_id = ${firing.scheduleId} and scheduled_time = ${firing.scheduledTime} and epoch = ${firing.epoch}
        and ${inState('claimed')} ${isStill(decidedOn)}
      returning schedule_id as "scheduleId", scheduled_time as "scheduledTime", kind, claimed_at as "claimedAt"`.execute(
      transaction.db,
    );
    const letters = end.state === 'abandoned' ? await buryAbandoned(transaction, rows, now) : [];
    if (end.state === 'skipped') {
      // If a Temporal schedule ran the occurrence, an earlier failure is made good, and the action was used.
      if (end.reason === 'native') await resolveLetters(transaction, rows, now);
      else await giveBackActions(transaction, rows, now);
    }
    await wakeBuffering(transaction, rows, now);
    return rows.length > 0 ? { letters } : undefined;
  });
}

function isStill(decidedOn: DecidedOn | undefined) {
  if (!decidedOn) return sql``;
  const { owner, startAttemptedAt } = decidedOn;
  return sql`and owner is not distinct from ${owner}::uuid and start_attempted_at is not distinct from ${startAttemptedAt}::timestamptz`;
}
