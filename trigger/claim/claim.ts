import { DEFAULTS } from '../../core/defaults';
import {
  type Ahead,
  type DueTimer,
  readDueTimers,
  type TimerCursor,
  type UpcomingWakes,
} from '../../store/schedules/due';
import { later, type TriggerContext } from '../context';
import { isHeld } from '../recover/adoption';
import { earliest } from './advance';
import { claimAhead } from './claim-ahead';
import type { Settled } from './record-decisions';
import { addWritten, NOTHING_SETTLED } from './settle';
import { settlePage } from './settle-page';

/** What one claim pass did. */
export interface ClaimResult extends Omit<Settled, 'suspects' | 'interrupts' | 'isCut' | 'nextWakeAt'> {
  /** Timers that were due. */
  due: number;
  /** Whether more may be due than this pass took. */
  more: boolean;
  /** Whether nothing that was due is left, not even to another trigger. */
  complete: boolean;
  /** The next timer's time, where it comes before the next poll. */
  nextWakeAt: Date | undefined;
  /** Schedules whose overlap waits for the verify pass to ask Temporal. */
  postponed: string[];
}

/** How one poll for due schedules is narrowed. */
export interface ClaimScope {
  /** Nothing that was due before is left. @default no bound */
  from?: Date | undefined;
}

/** Batches of timers that others hold which one pass reads over to find one of its own. */
const PAGES_AT_MOST = 20;

/**
 * Claim what is due: read without a lock, decide in memory, then write in short transactions. Nothing here waits for
 * Temporal: where overlap would skip, the schedule is left to the verify pass.
 */
export async function claim(context: TriggerContext, { from }: ClaimScope = {}): Promise<ClaimResult> {
  const now = context.clock.now();
  const result: ClaimResult = {
    ...NOTHING_SETTLED(),
    ...{ due: 0, more: false, complete: false, nextWakeAt: undefined, postponed: [] },
  };
  if (isHeld(context.adoption)) return result;
  try {
    // Behind an outage: what is due just now goes before what was missed.
    if (context.isBehind) await claimFresh(context, result, now);
    await claimInOrder(context, result, now, from);
  } catch (error) {
    context.claims.fail();
    throw error;
  }
  await context.heldUp.say(context.store, result.missed, { now, isWhole: !result.more });
  if (context.suspects.size > 0) context.onSuspects();
  return result;
}

/** A page of what has come due within the time that counts as on time, and what is to be handed over ahead. */
async function claimFresh(context: TriggerContext, result: ClaimResult, now: number): Promise<void> {
  const query = {
    now: new Date(now),
    ahead: horizonOf(context, now),
    from: later(now, -DEFAULTS.onTimeMilliseconds),
    without: [...context.leftToOthers.values()],
  };
  const { size } = context.claims;
  const { due, upcoming } = await readDueTimers(context.store, query, size);
  const settled = await settlePage(context, due, now);
  take(result, due, settled);
  if (due.length === size) growBehind(context, settled);
  else await takeUpcoming(context, result, { upcoming, settled, now });
  result.more = true;
}

/** The longest overdue first, page by page until one holds a timer that nobody else does. */
async function claimInOrder(context: TriggerContext, result: ClaimResult, now: number, from: Date | undefined) {
  const ahead = horizonOf(context, now);
  let cursor: TimerCursor | undefined;
  let isAllOurs = true;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const query = { now: new Date(now), ahead, from, without: [...context.leftToOthers.values()] };
    const { size } = context.claims;
    const { due, upcoming } = await readDueTimers(context.store, query, size, cursor);
    const settled = await settlePage(context, due, now);
    take(result, due, settled);
    const isFull = due.length === size;
    result.more = isFull || settled.isCut;
    if (isFull) growBehind(context, settled);
    else context.claims.reset();
    context.isBehind = result.more && due.some((timer) => isLate(timer, now));
    isAllOurs &&= settled.locked === due.length;
    result.complete = !result.more && isAllOurs;
    // What is due now comes before what is handed over ahead.
    if (!isFull) await takeUpcoming(context, result, { upcoming, settled, now });
    // A full batch of timers that others hold: behind them there may be some that nobody does.
    if (!isFull || settled.locked > 0 || context.stopping.aborted) return;
    cursor = due.at(-1);
  }
}

/** To the next poll and to the cap for all; farther for schedules that ask for it, unless nothing is handed over ahead. */
function horizonOf({ limits }: TriggerContext, now: number): Ahead {
  const near = later(now, Math.max(limits.claimIntervalMilliseconds, limits.preStartCapMilliseconds));
  return limits.preStartCapMilliseconds === 0
    ? { near }
    : { near, far: later(now, DEFAULTS.longestPreStartMilliseconds) };
}

/** Hand over ahead what comes due soon, and note when to poll again. */
async function takeUpcoming(
  context: TriggerContext,
  result: ClaimResult,
  { upcoming, settled, now }: { upcoming: UpcomingWakes[]; settled: Settled; now: number },
): Promise<void> {
  result.claimed.push(...(await claimAhead(context, upcoming, now)).claimed);
  // What was claimed just now may wake again before the next poll; it has not been counted.
  const next = earliest(upcoming[0]?.at, settled.nextWakeAt);
  const isSoon = next !== undefined && next <= now + context.limits.claimIntervalMilliseconds;
  result.nextWakeAt = isSoon ? new Date(next) : undefined;
}

/** A longer page next time, unless schedules would each get less of it: what one pass may write is shared by them. */
function growBehind({ claims, limits }: TriggerContext, { locked, claimed, skipped, buffered }: Settled): void {
  const written = claimed.length + skipped.length + buffered.length;
  if (locked > 0 && 2 * written <= Math.max(limits.firingsPerPass, 2 * locked)) claims.grow();
}

function isLate({ wakeAt }: DueTimer, now: number): boolean {
  return now - wakeAt.getTime() > DEFAULTS.onTimeMilliseconds;
}

function take(result: ClaimResult, due: DueTimer[], settled: Settled): void {
  addWritten(result, settled);
  result.locked += settled.locked;
  result.missed.push(...settled.missed);
  result.postponed.push(...settled.suspects.map((suspect) => suspect.scheduleId));
  result.due += due.length;
}
