import { lookaheadOf, planAhead, reachOf } from '../../core/decisions/ahead';
import { InvalidScheduleError } from '../../core/errors';
import { type DueTimer, readUpcomingTimers, type TimerCursor, type UpcomingWakes } from '../../store/schedules/due';
import { later, type TriggerContext } from '../context';
import { CLAIM } from './decide';
import { NOTHING_SETTLED, settleAhead } from './decide-and-claim';
import type { DuePlan } from './due-plan';
import { yieldAfter } from './freezes';
import type { Settled } from './record-decisions';
import { withMonths } from './with-months';

/**
 * Claims firings ahead of time, if starting all of them when they are due would take too long. Temporal gets these
 * firings early, with a start delay. The handover begins as early as the measured start rate requires, with a margin. A
 * firing is claimed ahead only if no open firing may delay it.
 *
 * @param upcoming how many timers wake at which times, as the claim pass read them
 */
export async function claimAhead(context: TriggerContext, upcoming: UpcomingWakes[], now: number): Promise<Settled> {
  const { preStartAfterMilliseconds, preStartCapMilliseconds, batchSize } = context.limits;
  const total = NOTHING_SETTLED();
  context.declined.forgetUntil(now);
  const near = later(now, preStartCapMilliseconds);
  const horizon = lookaheadOf(upcoming, {
    now,
    waiting: context.waiting.timely,
    startsPerSecond: { due: context.rates.due.perSecond, ahead: context.rates.ahead.perSecond },
    preStartAfterMilliseconds,
    preStartCapMilliseconds,
  });
  if (horizon === undefined) return total;

  let cursor: TimerCursor | undefined;
  for (;;) {
    const timers = await readUpcomingTimers(
      context.store,
      { now: new Date(now), near, until: new Date(horizon) },
      batchSize,
      cursor,
    );
    const plans = await planAheadOf(
      context,
      timers.filter((timer) => !context.declined.has(timer) && !context.aside.has(CLAIM, timer.scheduleId)),
      { now, until: horizon },
    );
    const settled = await settleAhead(context, plans, { now, until: horizon });
    context.waiting.claimed(settled.claimed);
    total.claimed.push(...settled.claimed);
    if (timers.length < batchSize || context.stopping.aborted) return total;
    cursor = timers.at(-1);
    // Stop once the first upcoming timer is due, since due timers are claimed first.
    if (context.clock.now() >= upcoming[0]!.at) return total;
  }
}

/**
 * If a spec cannot be evaluated, nothing is planned ahead. The claim pass decides about the schedule when its timer is
 * due.
 */
function planOrNone(...[compiled, between]: Parameters<typeof planAhead>): ReturnType<typeof planAhead> {
  try {
    return planAhead(compiled, between);
  } catch (error) {
    if (error instanceof InvalidScheduleError) return undefined;
    throw error;
  }
}

async function planAheadOf(
  context: TriggerContext,
  timers: DueTimer[],
  between: { now: number; until: number },
): Promise<DuePlan[]> {
  const definitions = await context.definitions.load(context.store, timers);
  const plans: DuePlan[] = [];
  for (const [index, timer] of timers.entries()) {
    await yieldAfter(index);
    const definition = definitions(timer);
    const { compiled, policies } = definition;
    const isAwake =
      !timer.paused && !timer.deleted && !timer.shadow && !timer.isSetAside && timer.remainingActions !== 0;
    const isOpenToIt = isAwake && policies.preStart && !(compiled instanceof Error);
    // The reach is computed again, since an older program may have changed the definition but not the timer's columns.
    const until = Math.min(between.until, between.now + reachOf(policies, context.limits.preStartCapMilliseconds));
    const plan = isOpenToIt
      ? planOrNone(compiled, { answeredTo: timer.answeredTo.getTime(), now: between.now, until })
      : undefined;
    if (plan) plans.push({ timer, definition, ...plan });
    else context.declined.add(timer);
  }
  return withMonths(context, plans, between.now);
}
