import { setImmediate } from 'node:timers/promises';
import { type FreezeStretch, freezeAt } from '../../core/decisions/freeze';
import { isPausedAt } from '../../core/decisions/pause';
import type { CompiledSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { mayBeHeld, readFreezesOf } from '../../store/freezes/matching';
import type { DueTimer } from '../../store/schedules/due';
import type { TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';
import type { DuePlan } from './due-plan';

/** The freezes that hold these schedules. A freeze with a filter that this program cannot read is logged once. */
function readFreezes(
  { store, logger, unreadableFreezes }: Pick<TriggerContext, 'logger' | 'unreadableFreezes'> & { store: Store },
  timers: Parameters<typeof readFreezesOf>[1],
  until: Date,
): Promise<Map<string, FreezeStretch[]>> {
  return readFreezesOf(store, timers, until, (freezeId, problem) => {
    if (unreadableFreezes.has(freezeId)) return;
    unreadableFreezes.add(freezeId);
    logger.error(
      "a freeze has a filter that this version cannot read, so it holds all schedules of its tenant, source and IDs; upgrade this trigger, or end the freeze: 'escapement freeze end ID'",
      { freezeId, problem },
    );
  });
}

const EVALUATED_AT_ONCE = 20;

/** Yield after some schedules, so that a series of slow specs does not hold up the heartbeat. */
export async function yieldAfter(index: number): Promise<void> {
  if (index % EVALUATED_AT_ONCE === EVALUATED_AT_ONCE - 1) await setImmediate();
}

/** Whether the schedule answers no occurrences at `now`. */
export function sleeps(timer: DueTimer, now: number): boolean {
  return timer.deleted || timer.remainingActions === 0 || isPausedAt(timer, now);
}

/**
 * The freezes that may hold what these timers have not answered yet. Freezes before the first occurrence without an
 * answer are not read: a schedule that fires rarely was answered long ago, and many freezes may have ended since.
 */
export async function readDueFreezes(
  context: TriggerContext,
  timers: DueTimer[],
  definitions: (timer: DueTimer) => CompiledDefinition,
  now: number,
): Promise<Map<string, FreezeStretch[]>> {
  const awake = timers.filter((timer) => !sleeps(timer, now) && !(definitions(timer).compiled instanceof Error));
  // Most ledgers have no freezes. For these, finding the first occurrence of each schedule would be wasted work.
  if (!(await mayBeHeld(context.store, awake, new Date(now)))) return new Map();
  const held: Parameters<typeof readFreezesOf>[1] = [];
  for (const [index, timer] of awake.entries()) {
    await yieldAfter(index);
    const compiled = definitions(timer).compiled as CompiledSpec;
    const since = Math.min(now, firstAfter(compiled, timer.answeredTo.getTime()) ?? now);
    held.push({ ...timer, since: new Date(since) });
  }
  return readFreezes(context, held, new Date(now));
}

export async function startingFrozen(
  { logger, unreadableFreezes }: TriggerContext,
  transaction: Store,
  plans: DuePlan[],
  { now, until }: { now: number; until: number },
): Promise<Set<DuePlan>> {
  const since = new Date(now);
  const freezesOf = await readFreezes(
    { store: transaction, logger, unreadableFreezes },
    plans.map(({ timer }) => ({ ...timer, since })),
    new Date(until),
  );
  const isFrozen = ({ timer, startsAt }: DuePlan) =>
    freezeAt(freezesOf.get(timer.scheduleId) ?? [], startsAt!.getTime()) !== undefined;
  return new Set(plans.filter(isFrozen));
}

/**
 * The first occurrence after an instant. If the spec cannot be evaluated, the instant itself is returned, and planning
 * records the problem.
 */
function firstAfter(compiled: CompiledSpec, instant: number): number | undefined {
  try {
    return compiled.next(instant);
  } catch {
    return instant;
  }
}
