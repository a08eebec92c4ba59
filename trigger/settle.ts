import type { Gap } from '../core/decisions/catchup';
import {
  advanceTimers,
  insertFirings,
  lockDueTimers,
  type NewFiring,
  postponeTimers,
  readOpenFirings,
  releaseBuffered,
  type TimerAdvance,
  type WrittenFiring,
} from '../store/claim';
import { insertGaps } from '../store/gaps';
import { transact } from '../store/transaction';
import { firingFields, later, type TriggerContext } from './context';
import { type DuePlan, decide, type Released, type Suspect, type VerifiedHolders } from './decide';
import { groupBy } from './group';

/** What one transaction settled. */
export interface Settled {
  claimed: WrittenFiring[];
  skipped: WrittenFiring[];
  gaps: (Gap & { scheduleId: string })[];
  suspects: Suspect[];
  /** Timers that nobody else held, and that were still as planned. */
  locked: number;
}

/** A fresh result of a pass that had nothing to settle. */
export const NOTHING_SETTLED = (): Settled => ({ claimed: [], skipped: [], gaps: [], suspects: [], locked: 0 });

/**
 * Write the plans: lock the timers that are still as planned, read what is open, decide overlap and record firings, gaps
 * and the timers' new places. A schedule that would skip is put off unless `verified` names the very firings that hold it.
 */
export async function settleDue(
  context: TriggerContext,
  plans: DuePlan[],
  now: number,
  verified: VerifiedHolders,
): Promise<Settled> {
  if (plans.length === 0) return NOTHING_SETTLED();
  const claimant = {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, context.limits.checkAfterMilliseconds),
  };

  const settled = await transact(context.store, async (transaction) => {
    const locked = await lockDueTimers(
      transaction,
      plans.map((plan) => plan.timer),
    );
    const held = plans.filter((plan) => locked.has(plan.timer.scheduleId));
    const open = groupBy(await readOpenFirings(transaction, [...locked]), (firing) => firing.scheduleId);

    const firings: NewFiring[] = [];
    const released: Released[] = [];
    const advances: TimerAdvance[] = [];
    const suspects: Suspect[] = [];
    const answered: DuePlan[] = [];
    for (const due of held) {
      const decided = decide(due, open.get(due.timer.scheduleId) ?? [], verified);
      if (decided.suspect) {
        suspects.push(decided.suspect);
        continue;
      }
      firings.push(...decided.firings);
      released.push(...decided.released);
      advances.push(decided.advance);
      answered.push(due);
    }

    const written = [
      ...(await releaseBuffered(transaction, released, claimant)),
      ...(await insertFirings(transaction, firings, claimant)),
    ];
    const gaps = answered.flatMap(({ timer, plan }) =>
      plan.gaps.map((gap) => ({ scheduleId: timer.scheduleId, ...gap })),
    );
    await insertGaps(transaction, gaps, claimant.now);
    await advanceTimers(transaction, advances);
    const soon = later(now, context.limits.claimIntervalMilliseconds);
    await postponeTimers(
      transaction,
      suspects.map((suspect) => suspect.scheduleId),
      soon,
    );
    return {
      claimed: written.filter((row) => row.state === 'claimed'),
      skipped: written.filter((row) => row.state === 'skipped'),
      gaps,
      suspects,
      locked: held.length,
    };
  });
  logTransitions(context, settled);
  return settled;
}

function logTransitions(context: TriggerContext, { claimed, skipped, gaps }: Settled): void {
  const lag = (key: WrittenFiring) => context.clock.now() - key.scheduledTime.getTime();
  for (const key of claimed) {
    context.logger.info('claimed', { ...firingFields({ ...key, startAttempts: 0 }), milliseconds: lag(key) });
  }
  for (const key of skipped) {
    context.logger.info('skipped', { ...firingFields(key), reason: key.reason, milliseconds: lag(key) });
  }
  for (const { scheduleId, from, to, count, reason } of gaps) {
    const stretch = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    context.logger.warn('gap', { scheduleId, ...stretch, count, reason });
  }
}
