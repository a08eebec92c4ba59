import type { Store } from '../../store/connection';
import { lockDueTimers, type WrittenFiring } from '../../store/firings/claim';
import { type OpenFiring, readFiringsOfLocked } from '../../store/firings/open-firings';
import { postponeFreezes } from '../../store/freezes/rows';
import { transact } from '../../store/transaction';
import { byHalves } from '../by-halves';
import { firingFields, type TriggerContext } from '../context';
import { groupBy } from '../group';
import { earliest } from './advance';
import { replacedTimes, skipsWaiting } from './candidates';
import type { VerifiedHolders } from './circumstances';
import { CLAIM, decide, fullOf } from './decide';
import type { Decided } from './decided';
import type { DuePlan } from './due-plan';
import { startingFrozen } from './freezes';
import { byDueTime, quotasOf } from './quota';
import { type Answered, type DecidedSchedule, recordDecisions, type Settled } from './record-decisions';

export const NOTHING_SETTLED = (): Settled => ({
  claimed: [],
  skipped: [],
  buffered: [],
  gaps: [],
  suspects: [],
  completed: [],
  paused: [],
  interrupts: [],
  locked: 0,
  missed: [],
  isCut: false,
  nextWakeAt: undefined,
});

/**
 * Decide about planned schedules and write the result. The function locks timers whose plans are still valid, and reads
 * their open firings. If a firing would be skipped because open ones overlap, the schedule is postponed, unless
 * `verified` names all firings that block it, or as many of them as fill the schedule. If a firing would end some of
 * several open ones, none is ended unless `verified` names all of them.
 */
export async function settleDue(
  context: TriggerContext,
  plans: DuePlan[],
  now: number,
  verified: VerifiedHolders,
): Promise<Settled> {
  return settle(context, plans, now, (transaction, held) => decideAll(context, transaction, held, now, verified));
}

/**
 * Write plans that were made ahead of time, if no freeze holds them, no open firing may delay them, and the tenant's
 * quota allows them.
 */
export async function settleAhead(
  context: TriggerContext,
  plans: DuePlan[],
  { now, until }: { now: number; until: number },
): Promise<Settled> {
  return settle(context, plans, now, async (transaction, held) => {
    // A freeze that somebody creates now waits for this commit, so it can list the firings that were handed over. If a
    // freeze is just being created, nothing is handed over, and the next claim pass tries again.
    if (!(await postponeFreezes(transaction))) return [];
    const frozen = await startingFrozen(context, transaction, held, { now, until });
    for (const { timer } of frozen) context.declined.add(timer);
    const free = held.filter((due) => !frozen.has(due));
    const decided = await decideAll(context, transaction, free, now, new Map());
    for (const { due, isFinal } of decided) if (!isFinal) context.declined.add(due.timer);
    return decided.filter(({ isFinal }) => isFinal);
  });
}

async function settle(
  context: TriggerContext,
  plans: DuePlan[],
  now: number,
  decideHeld: (transaction: Store, held: DuePlan[]) => Promise<DecidedSchedule[]>,
): Promise<Settled> {
  if (plans.length === 0) return NOTHING_SETTLED();
  const rows = plans.map((plan) => ({ scheduleId: plan.timer.scheduleId, plan }));
  const parts = await byHalves(
    context,
    CLAIM,
    rows,
    (part) =>
      settlePart(
        context,
        now,
        decideHeld,
        part.map(({ plan }) => plan),
      ),
    ({ answered }) => answered,
  );
  const settled = NOTHING_SETTLED();
  for (const part of parts) addSettled(settled, part);
  if (settled.interrupts.length > 0) context.onInterrupts();
  logTransitions(context, settled);
  return settled;
}

async function settlePart(
  context: TriggerContext,
  now: number,
  decideHeld: (transaction: Store, held: DuePlan[]) => Promise<DecidedSchedule[]>,
  plans: DuePlan[],
): Promise<Settled & Answered> {
  return transact(context.store, async (transaction) => {
    const locked = await lockDueTimers(
      transaction,
      plans.map((plan) => plan.timer),
    );
    const held = plans.filter((plan) => locked.has(plan.timer.scheduleId));
    const missed = plans.filter((plan) => !locked.has(plan.timer.scheduleId));
    return {
      ...(await recordDecisions(context, transaction, await decideHeld(transaction, held), now)),
      locked: held.length,
      missed: missed.map((plan) => plan.timer),
    };
  }).catch((error) => {
    context.months.forget();
    throw error;
  });
}

export function addSettled(all: Settled, part: Settled): void {
  addWritten(all, part);
  all.locked += part.locked;
  all.missed = all.missed.concat(part.missed);
  all.suspects.push(...part.suspects);
  all.paused.push(...part.paused);
  all.completed.push(...part.completed);
  all.interrupts.push(...part.interrupts);
  all.isCut ||= part.isCut;
  all.nextWakeAt = earliest(all.nextWakeAt, part.nextWakeAt);
}

export function addWritten(all: Written, part: Written): void {
  // Rows are added by `concat`, since a large batch has too many rows for the arguments of one `push`.
  all.claimed = all.claimed.concat(part.claimed);
  all.skipped = all.skipped.concat(part.skipped);
  all.buffered = all.buffered.concat(part.buffered);
  all.gaps = all.gaps.concat(part.gaps);
}

type Written = Pick<Settled, 'claimed' | 'skipped' | 'buffered' | 'gaps'>;

async function decideAll(
  context: TriggerContext,
  transaction: Store,
  held: DuePlan[],
  now: number,
  verified: VerifiedHolders,
) {
  const { cancelWaitMilliseconds, firingsPerScheduleAndPass: waitingAtMost } = context.limits;
  const planned = held.flatMap(({ timer: { scheduleId }, plan }) =>
    plan.firings.map((firing) => ({ scheduleId, scheduledTime: new Date(firing.scheduledTime) })),
  );
  const holdable = held
    .filter((due) => !isUnbound(due))
    .map(({ timer: { scheduleId }, definition }) => ({ scheduleId, full: fullOf(definition) }));
  const lettingGo = held.filter(({ definition }) => definition.policies.parkedHolds === false);
  const schedules = held.map(({ timer, definition: { policies }, plan }) => ({
    ...{ scheduleId: timer.scheduleId, overlap: policies.overlap, isCapped: (policies.maxConcurrent ?? null) !== null },
    ...{ isFrozen: plan.frozenUntil !== undefined, skips: skipsWaiting(timer), replaces: replacedTimes(plan) },
  }));
  const locked = { schedules, holdable, lettingGo: lettingGo.map((due) => due.timer.scheduleId), planned };
  const read = await readFiringsOfLocked(transaction, locked, waitingAtMost);
  const quotas = await quotasOf(context, transaction, held, now);
  const open = groupBy(read.open, (firing) => firing.scheduleId);
  const taken = groupBy(read.taken, (key) => key.scheduleId);
  const decideOne = (due: DuePlan) => {
    const { scheduleId } = due.timer;
    const circumstances = {
      now,
      open: open.get(scheduleId) ?? [],
      taken: new Set(taken.get(scheduleId)?.map((key) => key.scheduledTime.getTime())),
      verified,
      cancelWaitMilliseconds,
      waitingAtMost,
      quota: quotas.of(due.timer),
    };
    const decided = decide(due, circumstances);
    quotas.take(due.timer, claimsOf(decided));
    const isFinal = mayHandOver(due, circumstances.open) && !(decided.suspect === undefined && decided.isDelayed);
    return { due, isFinal, ...decided };
  };
  if (quotas.isEmpty) return held.map(decideOne);
  const decided = new Map([...held].sort(byDueTime).map((due) => [due, decideOne(due)]));
  return held.map((due) => decided.get(due)!);
}

function claimsOf(decided: Decided): number {
  if (decided.suspect) return 0;
  return [...decided.firings, ...decided.released].filter(({ state }) => state === 'claimed').length;
}

/** Whether no running chain can delay or stop a firing of the schedule's spec. */
function isUnbound({ definition: { policies } }: DuePlan): boolean {
  return policies.overlap === 'ALLOW_ALL' && (policies.maxConcurrent ?? null) === null && !policies.pauseOnFailure;
}

/** Whether no open firing of the schedule can delay a firing that is planned ahead. */
function mayHandOver(due: DuePlan, open: OpenFiring[]): boolean {
  return open.length === 0 || (isUnbound(due) && open.every(({ state }) => state !== 'buffered'));
}

function logTransitions(
  context: TriggerContext,
  { claimed, skipped, buffered, gaps, completed, paused }: Settled,
): void {
  const metrics = context.metrics.of;
  const lag = (key: WrittenFiring) => context.clock.now() - key.scheduledTime.getTime();
  for (const key of claimed) {
    const fields = firingFields(key);
    fields.startAttempt = 1;
    fields.milliseconds = lag(key);
    context.logger.info('claimed', fields);
    metrics.claimed.inc({ namespace: key.namespace, kind: key.kind });
    if (!key.released && !key.late) {
      const delay = Math.max(0, context.clock.now() - key.readyAt.getTime());
      metrics.claimDelay.observe({ namespace: key.namespace }, delay / 1_000);
    }
  }
  for (const key of skipped) {
    context.logger.info('skipped', { ...firingFields(key), reason: key.reason, milliseconds: lag(key) });
    context.metrics.notStarted('skipped', key, key.reason ?? '');
  }
  for (const key of buffered) context.logger.info('buffered', { ...firingFields(key), milliseconds: lag(key) });
  for (const { scheduleId, from, to, count, reason } of gaps) {
    const stretch = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    context.logger.warn('gap', { scheduleId, ...stretch, count, reason });
    metrics.missed.inc({ reason }, count);
  }
  for (const { scheduleId, paused: isPaused, actor, note } of paused)
    context.logger.info(isPaused ? 'paused' : 'unpaused', { scheduleId, actor: actor ?? undefined, note });
  for (const scheduleId of completed) context.logger.info('completed: no action is left', { scheduleId });
}
