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
import { type OpenFiring, readOpenFirings, readTaken } from '../store/open-firings';
import { transact } from '../store/transaction';
import { isAdopted } from './adopt';
import { firingFields, later, type TriggerContext } from './context';
import { type Decided, type DuePlan, decide, type Suspect, type VerifiedHolders } from './decide';
import { groupBy } from './group';
import type { QueuedClaim } from './queue';

/** A firing to be started. */
export type ClaimedFiring = WrittenFiring & Pick<QueuedClaim, 'tenant' | 'taskQueue'>;

/** What one transaction settled. */
export interface Settled {
  claimed: ClaimedFiring[];
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
  return settle(context, plans, now, (transaction, held) => decideAll(context, transaction, held, now, verified));
}

/** Write plans made ahead of their time, where nothing that may happen until then could decide otherwise; leave the others. */
export async function settleAhead(context: TriggerContext, plans: DuePlan[], now: number): Promise<Settled> {
  return settle(context, plans, now, async (transaction, held) => {
    const decided = await decideAll(context, transaction, held, now, new Map());
    for (const { due, isFinal } of decided) if (!isFinal) context.declined.add(due.timer);
    return decided.filter(({ isFinal }) => isFinal);
  });
}

type DecidedSchedule = Decided & { due: DuePlan };

async function settle(
  context: TriggerContext,
  plans: DuePlan[],
  now: number,
  decideHeld: (transaction: Store, held: DuePlan[]) => Promise<DecidedSchedule[]>,
): Promise<Settled> {
  if (plans.length === 0) return NOTHING_SETTLED();
  const settled = await transact(context.store, async (transaction) => {
    const locked = await lockDueTimers(
      transaction,
      plans.map((plan) => plan.timer),
    );
    const held = plans.filter((plan) => locked.has(plan.timer.scheduleId));
    return { ...(await write(context, transaction, await decideHeld(transaction, held), now)), locked: held.length };
  }).catch((error) => {
    context.months.forget();
    throw error;
  });
  if (settled.interrupts.length > 0) context.onInterrupts();
  logTransitions(context, settled);
  return settled;
}

/** Record what was decided, and put off what has to wait. */
async function write(
  context: TriggerContext,
  transaction: Store,
  decided: DecidedSchedule[],
  now: number,
): Promise<Omit<Settled, 'locked'>> {
  const awaiting = decided.filter((one) => mustWait(context, one));
  const answered = decided.filter((one) => !mustWait(context, one)).filter((one) => one.suspect === undefined);
  const suspects = decided.filter((one) => one.suspect !== undefined).map((one) => one.suspect);
  const claimant = {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, context.limits.checkAfterMilliseconds),
  };

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
  await postponeTimers(
    transaction,
    [...suspects.map((suspect) => suspect.scheduleId), ...awaiting.map((one) => one.due.timer.scheduleId)],
    later(now, context.limits.claimIntervalMilliseconds),
  );
  const inState = (state: WrittenFiring['state']) => written.filter((row) => row.state === state);
  return {
    claimed: routed(answered, inState('claimed')),
    skipped: inState('skipped'),
    buffered: inState('buffered'),
    gaps,
    suspects,
    interrupts,
  };
}

/** Whose they are, and who is to run them: the start queue goes by that. */
function routed(answered: DecidedSchedule[], claimed: WrittenFiring[]): ClaimedFiring[] {
  const dues = new Map(answered.map(({ due }) => [due.timer.scheduleId, due]));
  return claimed.map((row) => {
    const { timer, definition } = dues.get(row.scheduleId)!;
    return { ...row, tenant: timer.tenant, taskQueue: definition.action.taskQueue };
  });
}

/** Whether a decision not to fire must wait until the ledger has a row for whatever Temporal was started with. */
function mustWait(context: TriggerContext, one: DecidedSchedule): boolean {
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
    const isFinal = mayHandOver(due, circumstances.open);
    return { due, isFinal, ...decide(due, circumstances) };
  });
}

/** Whether nothing that may happen before its time could decide otherwise of a firing that is planned ahead. */
function mayHandOver({ definition: { policies } }: DuePlan, open: OpenFiring[]): boolean {
  const { overlap, maxConcurrent, pauseOnFailure } = policies;
  return open.length === 0 || (overlap === 'ALLOW_ALL' && maxConcurrent === null && !pauseOnFailure);
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
