import type { FreezeStretch } from '../../core/decisions/freeze';
import { isPauseOver } from '../../core/decisions/pause';
import type { CompiledSpec } from '../../core/occurrences';
import { readFreezesOf } from '../../store/freezes/matching';
import type { DueTimer } from '../../store/schedules/due';
import type { TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';

/** The freezes that hold these schedules. A freeze with a filter that this program cannot read is logged once. */
export function readFreezes(
  { store, logger, unreadableFreezes }: Pick<TriggerContext, 'store' | 'logger' | 'unreadableFreezes'>,
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

/** Whether the schedule answers no occurrences at `now`. */
export function sleeps(timer: DueTimer, now: number): boolean {
  return timer.deleted || timer.remainingActions === 0 || (timer.paused && !isPauseOver(timer, now));
}

/**
 * Adds to a timer since when freezes may hold its schedule: since the first occurrence without an answer, at the latest
 * now. A schedule that fires rarely was answered long ago, and many freezes may have ended since. Empty for a schedule
 * that sleeps.
 */
export function heldSince(timer: DueTimer, { compiled }: CompiledDefinition, now: number) {
  if (sleeps(timer, now) || compiled instanceof Error) return [];
  const since = Math.min(now, firstAfter(compiled, timer.answeredTo.getTime()) ?? now);
  return [{ ...timer, since: new Date(since) }];
}

/** The first occurrence after an instant. If the spec cannot be evaluated, its plan says why. */
function firstAfter(compiled: CompiledSpec, instant: number): number | undefined {
  try {
    return compiled.next(instant);
  } catch {
    return instant;
  }
}
