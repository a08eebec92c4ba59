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
import { CLAIM } from './decide';
import { addWritten, NOTHING_SETTLED } from './decide-and-claim';
import type { Settled } from './record-decisions';
import { settlePage } from './settle-page';

/** The result of one claim pass. */
export interface ClaimResult extends Omit<Settled, 'suspects' | 'interrupts' | 'isCut' | 'nextWakeAt'> {
  /** Timers that were due. */
  due: number;
  /** Whether there may be due timers that this pass did not read, or that are due again after it. */
  more: boolean;
  /** Whether no due timer is left that this trigger supports, not even one that another trigger holds. */
  complete: boolean;
  /** When the next timer wakes, if that is before the next poll. */
  nextWakeAt: Date | undefined;
  /**
   * Schedules with a firing that would be skipped because an open one overlaps, or that would end some of several open
   * ones; the verify pass asks Temporal first.
   */
  postponed: string[];
}

/** Limits for one poll for due schedules. */
export interface ClaimScope {
  /** Only timers that wake at this time or later are read. @default no limit */
  from?: Date | undefined;
}

/** The most batches that one pass reads to find a timer that it can lock. */
const PAGES_AT_MOST = 20;

/**
 * Claims due occurrences: reads due timers without a lock, plans in memory, then locks, decides and writes in short
 * transactions. This pass never waits for Temporal: if a firing would be skipped because an open one overlaps, or would
 * end some of several open ones, the schedule is left to the verify pass.
 */
export async function claim(context: TriggerContext, { from }: ClaimScope = {}): Promise<ClaimResult> {
  const now = context.clock.now();
  const result: ClaimResult = {
    ...NOTHING_SETTLED(),
    ...{ due: 0, more: false, complete: false, nextWakeAt: undefined, postponed: [] },
  };
  if (isHeld(context.adoption)) return result;
  const refused: Error[] = [];
  try {
    // While late timers are left, the pass first claims a batch of timers that became due within the on-time limit.
    if (context.isBehind) await claimFresh(context, result, now, refused);
    await claimInOrder(context, result, now, { from, refused });
    if (refused.length > 0) throw refused[0];
  } catch (error) {
    context.claims.fail();
    throw error;
  } finally {
    // Even if a batch failed, the verify pass asks about the suspects of the other batches.
    if (context.suspects.size > 0) context.onSuspects();
  }
  await context.heldUp.say(context.store, result.missed, { now, isWhole: !result.more });
  return result;
}

/**
 * Claim a batch of timers that became due within the on-time limit. If the batch is not full, claim firings ahead too.
 */
async function claimFresh(context: TriggerContext, result: ClaimResult, now: number, refused: Error[]): Promise<void> {
  const query = {
    now: new Date(now),
    ahead: horizonOf(context, now),
    from: later(now, -DEFAULTS.onTimeMilliseconds),
    ...leftOut(context),
  };
  const { size } = context.claims;
  const { due, upcoming } = await readDueTimers(context.store, query, size);
  const settled = await settlePage(context, due, now, refused);
  take(result, due, settled);
  if (due.length === size) growBehind(context, settled);
  else await takeUpcoming(context, result, { upcoming, settled, now });
  result.more = true;
}

/**
 * Takes the longest overdue timers first, batch by batch, until a batch is not full or one of its timers could be
 * locked.
 */
async function claimInOrder(
  context: TriggerContext,
  result: ClaimResult,
  now: number,
  { from, refused }: ClaimScope & { refused: Error[] },
) {
  const ahead = horizonOf(context, now);
  let cursor: TimerCursor | undefined;
  let isAllOurs = true;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const query = { now: new Date(now), ahead, from, ...leftOut(context) };
    const { size } = context.claims;
    const { due, upcoming } = await readDueTimers(context.store, query, size, cursor);
    const settled = await settlePage(context, due, now, refused);
    take(result, due, settled);
    const isFull = due.length === size;
    result.more = isFull || settled.isCut;
    if (isFull) growBehind(context, settled);
    else context.claims.reset();
    context.isBehind = result.more && due.some((timer) => isLate(timer, now));
    isAllOurs &&= settled.locked === due.length && context.aside.all(CLAIM).length === 0;
    result.complete = !result.more && isAllOurs;
    // After a full batch other timers may be due, so nothing is handed over ahead yet.
    if (!isFull) await takeUpcoming(context, result, { upcoming, settled, now });
    // If other triggers hold a whole batch of timers, or Postgres refuses it, the next batch may contain free ones.
    if (!isFull || settled.locked > 0 || context.stopping.aborted) return;
    cursor = due.at(-1);
  }
}

/**
 * How far ahead of now timers are read: to the next poll or the general limit of pre-start, whichever is later. Timers
 * of schedules with a longer `preStart` are read further ahead, unless pre-start is switched off.
 */
function horizonOf({ limits }: TriggerContext, now: number): Ahead {
  const near = later(now, Math.max(limits.claimIntervalMilliseconds, limits.preStartCapMilliseconds));
  return limits.preStartCapMilliseconds === 0
    ? { near }
    : { near, far: later(now, DEFAULTS.longestPreStartMilliseconds) };
}

function leftOut({ leftToOthers, aside }: TriggerContext) {
  return { without: [...leftToOthers.values()], aside: aside.all(CLAIM) };
}

/** Claim firings ahead if a burst needs that, and note when the next poll is needed. */
async function takeUpcoming(
  context: TriggerContext,
  result: ClaimResult,
  { upcoming, settled, now }: { upcoming: UpcomingWakes[]; settled: Settled; now: number },
): Promise<void> {
  // A large burst has too many rows for the arguments of one `push`.
  result.claimed = result.claimed.concat((await claimAhead(context, upcoming, now)).claimed);
  // A schedule that was claimed just now may wake again before the next poll, and is not in `upcoming`, which was read
  // before the claim.
  const next = earliest(upcoming[0]?.at, settled.nextWakeAt);
  const isSoon = next !== undefined && next <= now + context.limits.claimIntervalMilliseconds;
  result.nextWakeAt = isSoon ? new Date(next) : undefined;
}

/**
 * Take a larger batch the next time, unless each schedule would get fewer firings: all schedules of a batch share one
 * limit.
 */
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
