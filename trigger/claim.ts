import { type DueTimer, readDueTimers, type TimerCursor, type UpcomingWakes } from '../store/due';
import { claimAhead } from './claim-ahead';
import { later, type TriggerContext } from './context';
import { planDue } from './plan-due';
import type { Settled } from './record-decisions';
import { NOTHING_SETTLED, settleDue } from './settle';

/** What one claim pass did. */
export interface ClaimResult extends Omit<Settled, 'suspects' | 'interrupts'> {
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
  const result: ClaimResult = {
    ...NOTHING_SETTLED(),
    ...{ due: 0, more: false, complete: false, nextWakeAt: undefined, postponed: [] },
  };
  const dealt = await context.backlog.take(context);
  if (dealt) {
    const due = dealt.filter((timer) => timer.wakeAt.getTime() <= now);
    take(result, due, await settlePage(context, due, now));
    result.more = true;
  } else {
    await claimInOrder(context, result, now, from);
    if (result.more) await context.backlog.deal(context);
  }
  if (context.suspects.size > 0) context.onSuspects();
  return result;
}

/** The longest overdue first, page by page until one holds a timer that nobody else does. */
async function claimInOrder(context: TriggerContext, result: ClaimResult, now: number, from: Date | undefined) {
  const { claimIntervalMilliseconds, preStartCapMilliseconds, batchSize } = context.limits;
  const ahead = later(now, Math.max(claimIntervalMilliseconds, preStartCapMilliseconds));
  let cursor: TimerCursor | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const look = { now: new Date(now), ahead, from };
    const { due, upcoming } = await readDueTimers(context.store, look, batchSize, cursor);
    const settled = await settlePage(context, due, now);
    take(result, due, settled);
    result.more = due.length === batchSize;
    result.complete = !result.more && settled.locked === due.length;
    // What is due now comes before what is handed over ahead.
    if (!result.more) result.claimed.push(...(await claimAhead(context, upcoming, now)).claimed);
    result.nextWakeAt = nextOf(upcoming, now + claimIntervalMilliseconds);
    // A full page with timers that others hold: behind them there may be some that nobody does.
    if (!result.more || settled.locked === due.length) return;
    cursor = due.at(-1);
  }
}

async function settlePage(context: TriggerContext, due: DueTimer[], now: number): Promise<Settled> {
  const settled = await settleDue(context, await planDue(context, due, now), now, new Map());
  context.queue.add(settled.claimed, now);
  for (const suspect of settled.suspects) context.suspects.set(suspect.scheduleId, suspect);
  return settled;
}

function take(result: ClaimResult, due: DueTimer[], settled: Settled): void {
  result.claimed.push(...settled.claimed);
  result.skipped.push(...settled.skipped);
  result.buffered.push(...settled.buffered);
  result.gaps.push(...settled.gaps);
  result.postponed.push(...settled.suspects.map((suspect) => suspect.scheduleId));
  result.due += due.length;
  result.locked += settled.locked;
}

function nextOf([next]: UpcomingWakes[], until: number): Date | undefined {
  return next && next.at <= until ? new Date(next.at) : undefined;
}
