import { type OccurrencePlan, planOccurrences } from '../core/decisions/catchup';
import type { CompiledSpec } from '../core/occurrences';
import { type DueTimer, readDueTimers, setAside, type TimerCursor, type UpcomingWakes } from '../store/due';
import { isMonthRetired, readRetentionFloor } from '../store/retention';
import { claimAhead } from './claim-ahead';
import { later, type TriggerContext } from './context';
import type { DuePlan } from './decide';
import type { CompiledDefinition } from './definitions';
import { NOTHING_SETTLED, type Settled, settleDue } from './settle';

/** What one claim pass did. */
export interface ClaimResult extends Omit<Settled, 'suspects' | 'interrupts' | 'locked'> {
  /** Timers that were due. */
  due: number;
  /** Whether more may be due than this pass took. */
  more: boolean;
  /** Whether nothing that was due is left, not even to another trigger. */
  complete: boolean;
  /** The next timer's time, where it comes before the next look. */
  nextWakeAt: Date | undefined;
  /** Schedules whose overlap waits for the verify pass to ask Temporal. */
  postponed: string[];
}

/** How one look for due schedules is narrowed. */
export interface ClaimLook {
  /** Nothing that was due before is left. @default no bound */
  from?: Date | undefined;
}

/** Pages of timers that others hold which one pass reads over to find one of its own. */
const PAGES_AT_MOST = 20;

/**
 * Claim what is due: look without a lock, decide in memory, then write in one short transaction. Nothing here waits for
 * Temporal: where overlap would skip, the schedule is left to the verify pass.
 */
export async function claim(context: TriggerContext, { from }: ClaimLook = {}): Promise<ClaimResult> {
  const now = context.clock.now();
  const { claimIntervalMilliseconds, preStartCapMilliseconds, batchSize } = context.limits;
  const ahead = later(now, Math.max(claimIntervalMilliseconds, preStartCapMilliseconds));
  const result: ClaimResult = {
    ...NOTHING_SETTLED(),
    due: 0,
    more: false,
    complete: false,
    nextWakeAt: undefined,
    postponed: [],
  };
  let cursor: TimerCursor | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const { due, upcoming } = await readDueTimers(
      context.store,
      { now: new Date(now), ahead, from },
      batchSize,
      cursor,
    );
    const settled = await settleDue(context, await planDue(context, due, now), now, new Map());
    context.queue.add(settled.claimed, now);
    for (const suspect of settled.suspects) context.suspects.set(suspect.scheduleId, suspect);

    result.claimed.push(...settled.claimed);
    result.skipped.push(...settled.skipped);
    result.buffered.push(...settled.buffered);
    result.gaps.push(...settled.gaps);
    result.postponed.push(...settled.suspects.map((suspect) => suspect.scheduleId));
    result.due += due.length;
    result.more = due.length === batchSize;
    result.complete = !result.more && settled.locked === due.length;
    // What is due now comes before what is handed over ahead.
    if (!result.more) result.claimed.push(...(await claimAhead(context, upcoming, now)).claimed);
    result.nextWakeAt = nextOf(upcoming, now + claimIntervalMilliseconds);
    // A full page with timers that others hold: behind them there may be some that nobody does.
    if (!result.more || settled.locked === due.length) break;
    cursor = due.at(-1);
  }
  if (context.suspects.size > 0) context.onSuspects();
  return result;
}

function nextOf([next]: UpcomingWakes[], until: number): Date | undefined {
  return next && next.at <= until ? new Date(next.at) : undefined;
}

/** What each of these timers comes to at `now`. Planned again where a month has been retired since the floor was read. */
export async function planDue(context: TriggerContext, timers: DueTimer[], now: number): Promise<DuePlan[]> {
  try {
    return await planOnce(context, timers, now);
  } catch (error) {
    if (!isMonthRetired(error)) throw error;
    context.retentionFloor = await readRetentionFloor(context.store);
    return planOnce(context, timers, now);
  }
}

async function planOnce(context: TriggerContext, timers: DueTimer[], now: number): Promise<DuePlan[]> {
  if (timers.length === 0) return [];
  const definitions = await context.definitions.load(context.store, timers);
  const look = { now, firingsAtMost: shareOf(context, timers.length), notBefore: context.retentionFloor?.getTime() };
  const plans: DuePlan[] = [];
  for (const timer of timers) {
    const definition = definitions(timer);
    plans.push({ timer, definition, plan: await planOrSetAside(context, timer, definition, look) });
  }
  const instants = plans.flatMap(({ plan }) => plan.firings.map((firing) => new Date(firing.scheduledTime)));
  await context.months.ensure(context.store, instants, look.now);
  return plans;
}

/** One bad spec must not hold up the others: its schedule sleeps, with the reason, until it is changed. */
async function planOrSetAside(
  context: TriggerContext,
  timer: DueTimer,
  definition: CompiledDefinition,
  look: Look,
): Promise<OccurrencePlan> {
  if (timer.paused || timer.deleted || timer.remainingActions === 0) return asleep(timer);
  try {
    if (definition.compiled instanceof Error) throw definition.compiled;
    return plan(timer, definition, definition.compiled, look);
  } catch (error) {
    const problem = (error as Error).message;
    context.logger.error('schedule set aside: its spec cannot be evaluated', { scheduleId: timer.scheduleId, problem });
    await setAside(context.store, timer, problem);
    return asleep(timer);
  }
}

/** When a schedule is looked at, and how much may come of it. */
interface Look {
  now: number;
  firingsAtMost: number;
  /** Where retired months end. */
  notBefore: number | undefined;
}

/** Firings of each of so many schedules that one transaction has the time for. */
function shareOf({ limits }: Pick<TriggerContext, 'limits'>, schedules: number): number {
  const share = Math.floor(limits.firingsPerPass / schedules);
  return Math.max(1, Math.min(limits.firingsPerScheduleAndPass, share));
}

function plan(
  timer: DueTimer,
  { policies }: CompiledDefinition,
  compiled: CompiledSpec,
  { now, firingsAtMost, notBefore }: Look,
): OccurrencePlan {
  return planOccurrences(compiled, {
    answeredTo: timer.answeredTo.getTime(),
    now,
    catchupWindowMilliseconds: policies.catchupWindow,
    catchupLimit: policies.catchupLimit ?? Number.POSITIVE_INFINITY,
    firingsAtMost,
    notBefore,
  });
}

/** A schedule that sleeps is answered for when it wakes. */
function asleep(timer: DueTimer): OccurrencePlan {
  const answeredTo = timer.answeredTo.getTime();
  return { firings: [], gaps: [], answeredTo, nextFireAt: undefined, wakeAt: undefined };
}
