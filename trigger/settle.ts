import { type Gap, gapsAround } from '../core/decisions/catchup';
import { readRan } from '../store/adopt';
import {
  advanceTimers,
  insertFirings,
  lockDueTimers,
  postponeTimers,
  releaseBuffered,
  type WrittenFiring,
} from '../store/claim';
import type { Store } from '../store/connection';
import { insertGaps } from '../store/gaps';
import { lookSoon, type WantedInterrupt, wantInterrupts } from '../store/interrupt';
import { readOpenFirings, readTaken } from '../store/open-firings';
import { transact } from '../store/transaction';
import { isAdopted } from './adopt';
import { firingFields, later, type TriggerContext } from './context';
import { type Decided, type DuePlan, decide, type Suspect, type VerifiedHolders } from './decide';
import { groupBy } from './group';

/** What one transaction settled. */
export interface Settled {
  claimed: WrittenFiring[];
  skipped: WrittenFiring[];
  /** Waiting for those before them. */
  buffered: WrittenFiring[];
  gaps: (Gap & { scheduleId: string })[];
  suspects: Suspect[];
  /** Firings whose chains are to be ended for others. */
  interrupts: WantedInterrupt[];
  /** Timers that nobody else held, and that were still as planned. */
  locked: number;
}

/** A fresh result of a pass that had nothing to settle. */
export const NOTHING_SETTLED = (): Settled => ({
  claimed: [],
  skipped: [],
  buffered: [],
  gaps: [],
  suspects: [],
  interrupts: [],
  locked: 0,
});

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
    const decided = await decideAll(context, transaction, held, now, verified);
    const awaiting = decided.filter((one) => mustWait(context, one));
    const answered = decided.filter((one) => !mustWait(context, one)).filter((one) => one.suspect === undefined);
    const suspects = decided.filter((one) => one.suspect !== undefined).map((one) => one.suspect);

    const written = [
      ...(await releaseBuffered(
        transaction,
        answered.flatMap((one) => one.released),
        claimant,
      )),
      ...(await insertFirings(
        transaction,
        answered.flatMap((one) => one.firings),
        claimant,
      )),
    ];
    const interrupts = answered.flatMap((one) => one.interrupts);
    await wantInterrupts(transaction, interrupts, claimant.now);
    await lookSoon(
      transaction,
      answered.flatMap((one) => one.awaited),
      claimant.now,
    );
    const gaps = await gapsOf(
      transaction,
      answered.map((one) => one.due),
    );
    await insertGaps(transaction, gaps, claimant.now);
    await advanceTimers(
      transaction,
      answered.map((one) => one.advance),
    );
    const soon = later(now, context.limits.claimIntervalMilliseconds);
    await postponeTimers(
      transaction,
      [...suspects.map((suspect) => suspect.scheduleId), ...awaiting.map((one) => one.due.timer.scheduleId)],
      soon,
    );
    const inState = (state: WrittenFiring['state']) => written.filter((row) => row.state === state);
    return {
      claimed: inState('claimed'),
      skipped: inState('skipped'),
      buffered: inState('buffered'),
      gaps,
      suspects,
      interrupts,
      locked: held.length,
    };
  }).catch((error) => {
    context.months.forget();
    throw error;
  });
  if (settled.interrupts.length > 0) context.onInterrupts();
  logTransitions(context, settled);
  return settled;
}

/** Whether a decision not to fire must wait until the ledger has a row for whatever Temporal was started with. */
function mustWait(context: TriggerContext, one: Decided & { due: DuePlan }): boolean {
  if (one.suspect !== undefined || isAdopted(context, one.due.definition.namespace)) return false;
  return one.due.plan.gaps.length > 0 || [...one.firings, ...one.released].some((row) => row.state === 'skipped');
}

/** The planned gaps, around what fired though the ledger had not been told: firings that were adopted. */
async function gapsOf(transaction: Store, dues: DuePlan[]): Promise<(Gap & { scheduleId: string })[]> {
  const planned = dues.flatMap(({ timer: { scheduleId }, definition: { compiled }, plan }) =>
    plan.gaps.map((gap) => ({ scheduleId, compiled, gap })),
  );
  const ran = groupBy(
    await readRan(
      transaction,
      planned.map(({ scheduleId, gap }) => ({ scheduleId, ...gap })),
    ),
    (key) => key.scheduleId,
  );
  return planned.flatMap(({ scheduleId, compiled, gap }) => {
    const fired = (ran.get(scheduleId) ?? [])
      .map((key) => key.scheduledTime.getTime())
      .filter((time) => time >= gap.from && time <= gap.to);
    const left = fired.length === 0 || compiled instanceof Error ? [gap] : gapsAround(compiled, gap, fired);
    return left.map((one) => ({ scheduleId, ...one }));
  });
}

/** Decide each locked schedule by what is open of it now. */
async function decideAll(
  context: TriggerContext,
  transaction: Store,
  held: DuePlan[],
  now: number,
  verified: VerifiedHolders,
) {
  const { cancelWaitMilliseconds, firingsPerScheduleAndPass: waitingAtMost } = context.limits;
  const scheduleIds = held.map((due) => due.timer.scheduleId);
  const open = groupBy(await readOpenFirings(transaction, scheduleIds, waitingAtMost), (firing) => firing.scheduleId);
  const planned = held.flatMap(({ timer: { scheduleId }, plan }) =>
    plan.firings.map((firing) => ({ scheduleId, scheduledTime: new Date(firing.scheduledTime) })),
  );
  const taken = groupBy(await readTaken(transaction, planned), (key) => key.scheduleId);
  return held.map((due) => {
    const { scheduleId } = due.timer;
    const circumstances = {
      now,
      open: open.get(scheduleId) ?? [],
      taken: new Set(taken.get(scheduleId)?.map((key) => key.scheduledTime.getTime())),
      verified,
      cancelWaitMilliseconds,
      waitingAtMost,
    };
    return { due, ...decide(due, circumstances) };
  });
}

function logTransitions(context: TriggerContext, { claimed, skipped, buffered, gaps }: Settled): void {
  const lag = (key: WrittenFiring) => context.clock.now() - key.scheduledTime.getTime();
  for (const key of claimed) {
    context.logger.info('claimed', { ...firingFields({ ...key, startAttempts: 0 }), milliseconds: lag(key) });
  }
  for (const key of skipped) {
    context.logger.info('skipped', { ...firingFields(key), reason: key.reason, milliseconds: lag(key) });
  }
  for (const key of buffered) context.logger.info('buffered', { ...firingFields(key), milliseconds: lag(key) });
  for (const { scheduleId, from, to, count, reason } of gaps) {
    const stretch = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    context.logger.warn('gap', { scheduleId, ...stretch, count, reason });
  }
}
