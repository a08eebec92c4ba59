import { type OccurrencePlan, planOccurrences } from '../core/decisions/catchup';
import type { WrittenFiring } from '../store/claim';
import { type DueTimer, readDueTimers, readTimers, setAside } from '../store/due';
import { ensurePartitions, monthOf } from '../store/partitions';
import { firingFields, later, type TriggerContext } from './context';
import type { CompiledDefinition } from './definitions';
import { type DuePlan, type Settled, type Suspect, settleDue } from './settle';
import { verifyOpenChains } from './verify';

/** What one claim pass did. */
export interface ClaimResult extends Omit<Settled, 'suspects'> {
  /** Timers that were due; a full batch means that more may be. */
  due: number;
  /** The next timer's time, where it comes before the next look. */
  nextWakeAt: Date | undefined;
  /** Schedules whose overlap could not be settled yet, since Temporal did not answer. */
  postponed: string[];
}

/**
 * Claim what is due: look without a lock, decide in memory, then write in one short transaction. Where overlap would
 * skip, Temporal is asked first whether what looks open still is; that happens outside of any transaction.
 */
export async function claim(context: TriggerContext): Promise<ClaimResult> {
  const now = context.clock.now();
  const { claimIntervalMilliseconds, batchSize } = context.limits;
  const timers = await readDueTimers(context.store, later(now, claimIntervalMilliseconds), batchSize);
  const due = timers.filter((timer) => timer.wakeAt.getTime() <= now);
  const first = await settleDue(context, await planDue(context, due, now), now, new Map());
  const second = await settleSuspects(context, first.suspects, now);

  const result = {
    due: due.length,
    nextWakeAt: timers[due.length]?.wakeAt,
    claimed: [...first.claimed, ...second.claimed],
    skipped: [...first.skipped, ...second.skipped],
    gaps: [...first.gaps, ...second.gaps],
    postponed: second.suspects.map((suspect) => suspect.scheduleId),
  };
  context.queue.add(result.claimed);
  logTransitions(context, result);
  return result;
}

/** Ask Temporal about the firings that stand in the way, and settle their schedules with what it said. */
async function settleSuspects(context: TriggerContext, suspects: Suspect[], now: number): Promise<Settled> {
  const verified = await verifyOpenChains(context, suspects);
  const unverified = suspects.filter((suspect) => !verified.has(suspect.scheduleId));
  const timers = verified.size === 0 ? [] : await readTimers(context.store, [...verified.keys()]);
  const settled = await settleDue(context, await planDue(context, timers, now), now, verified);
  return { ...settled, suspects: [...settled.suspects, ...unverified] };
}

async function planDue(context: TriggerContext, timers: DueTimer[], now: number): Promise<DuePlan[]> {
  await context.definitions.load(context.store, timers);
  const plans: DuePlan[] = [];
  for (const timer of timers) {
    const definition = context.definitions.get(timer);
    if (definition.compiled instanceof Error) {
      const problem = definition.compiled.message;
      context.logger.error('schedule set aside: its spec cannot be evaluated', {
        scheduleId: timer.scheduleId,
        problem,
      });
      await setAside(context.store, timer, problem);
      continue;
    }
    plans.push({ timer, definition, plan: planTimer(context, timer, definition, now) });
  }
  const instants = plans.flatMap(({ plan }) => plan.firings.map((firing) => new Date(firing.scheduledTime)));
  await ensurePartitions(context.store, new Map(instants.map((instant) => [monthOf(instant), instant])).values());
  return plans;
}

/** A paused or deleted schedule sleeps: nothing is answered until it wakes. */
function planTimer(
  context: TriggerContext,
  timer: DueTimer,
  definition: CompiledDefinition,
  now: number,
): OccurrencePlan {
  const answeredTo = timer.answeredTo.getTime();
  if (timer.paused || timer.deleted || definition.compiled instanceof Error) {
    return { firings: [], gaps: [], answeredTo, nextFireAt: undefined, wakeAt: undefined };
  }
  return planOccurrences(definition.compiled, {
    answeredTo,
    now,
    catchupWindowMilliseconds: definition.policies.catchupWindow,
    catchupLimit: definition.policies.catchupLimit ?? Number.POSITIVE_INFINITY,
    firingsAtMost: context.limits.firingsPerScheduleAndPass,
  });
}

function logTransitions(context: TriggerContext, { claimed, skipped, gaps }: ClaimResult): void {
  const lag = (key: WrittenFiring) => context.clock.now() - key.scheduledTime.getTime();
  for (const key of claimed) context.logger.info('claimed', { ...firingFields(key), milliseconds: lag(key) });
  for (const key of skipped) {
    context.logger.info('skipped', { ...firingFields(key), reason: key.reason, milliseconds: lag(key) });
  }
  for (const { scheduleId, from, to, count, reason } of gaps) {
    const stretch = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    context.logger.warn('gap', { scheduleId, ...stretch, count, reason });
  }
}
