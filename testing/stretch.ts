import { postponeTimers } from '../store/firings/claim';
import { monthOf } from '../store/firings/partitions';
import { readAgenda } from '../store/reads/agenda';
import { describeHolder, lockHoldersOfDue } from '../store/schedules/lock-holders';
import type { Trigger } from '../trigger/trigger';
import { StandstillError } from './errors';
import { makeMonths } from './months';
import { type Doubt, timeChains } from './open-chains';
import { type Due, earliest, PASSES, type Postponable } from './passes';
import { DIED } from './trigger-seat';
import { moveTo, type World } from './world';

/** The maximum number of rounds of passes at one instant. More rounds count as an endless loop. */
const ROUNDS_AT_MOST = 10_000;
const ROUNDS_BETWEEN_LOCK_CHECKS = 50;
/** In so much real time, any short transaction of the test or its clients has ended. */
const LOCKED_AT_MOST_MILLISECONDS = 10_000;
const ASKED_AGAIN_AFTER_MILLISECONDS = 2_000;

/** How long before the next due time the simulated trigger looks for firings to hand over. */
const HANDED_OVER_AHEAD_MILLISECONDS = 1_000;

/** What the last sweeps have dealt with: the month, and the steps that were parked. */
export interface Swept {
  month: string;
  parked: string | null;
}

/**
 * Runs the due passes at each instant at which something is due, up to and including `target`. Between two such
 * instants the trigger does nothing, but workflows on a real server run.
 */
export async function goThrough(world: World, target: number, swept: Swept): Promise<void> {
  const { clock, store, seat } = world;
  await makeMonths(world, target);
  // The test may have signalled workflows since time last advanced, so any chain may have changed.
  let doubt: Doubt = 'all';
  const leftAt: LeftAt = {};
  // The due time for which the trigger has already looked ahead. It looks only once for each due time, since a firing
  // that may not be handed over stays due.
  let polledAheadOf: number | undefined;
  /** When a check of the locks first found one at this instant, in real time. */
  let lockedSince: number | undefined;
  for (let rounds = 0; ; ) {
    const { chains, parked: steps, ...agenda } = await readAgenda(store, await seat.id());
    // A step that has been parked may let waiting firings go on, and the sweep wakes them.
    const parked = steps === swept.parked ? null : new Date(clock.now());
    swept.parked = steps;
    const timer = agenda.timer?.getTime();
    const pollsAhead = seat.preStarts && timer !== undefined && timer !== polledAheadOf;
    const ahead = pollsAhead ? new Date(timer - HANDED_OVER_AHEAD_MILLISECONDS) : null;
    // While Temporal is away, no chain can be polled, interrupted, redriven or started.
    const due: Due = world.isTemporalAway()
      ? { ...agenda, parked, ahead, chain: null, interrupt: null, redrive: null, claim: null, waiting: null }
      : { ...agenda, parked, ahead, chain: await timeChains(world, chains, doubt) };
    postpone(due, leftAt);
    seat.othersAreAlive = due.takeover !== null;
    const next = earliest(due);
    if (next > target) break;
    if (next > clock.now()) {
      rounds = 0;
      lockedSince = undefined;
    }
    if (++rounds > ROUNDS_AT_MOST) {
      throw new StandstillError(`the passes of ${new Date(clock.now()).toISOString()} never end`);
    }
    if (rounds % ROUNDS_BETWEEN_LOCK_CHECKS === 0) lockedSince = await refuseLocked(world, lockedSince);
    await moveTo(world, next);
    await sweepMonthly(world, swept);
    const toTime = await workOff(world, due, leftAt, target);
    if (ahead && ahead.getTime() <= clock.now()) polledAheadOf = timer;
    doubt = toTime ? 'settled' : 'none';
  }
  await moveTo(world, target);
  await seat.heartbeat();
}

/** When a pass last left work for later. */
type LeftAt = Partial<Record<Postponable, number>>;

/**
 * Work that is still due after its pass becomes due again only after a pause. Otherwise virtual time would never
 * advance.
 */
function postpone(due: Due, leftAt: LeftAt): void {
  const later = (instant: Date | null, at: number) =>
    instant && instant.getTime() <= at ? new Date(at + ASKED_AGAIN_AFTER_MILLISECONDS) : instant;
  for (const [work, at] of Object.entries(leftAt) as [Postponable, number][]) {
    due[work] = later(due[work], at);
    // The reconcile pass does both kinds of work. It uses the `staleAfter` that its trigger read with the last
    // heartbeat.
    if (work === 'claim') due.takeover = later(due.takeover, at);
  }
}

/**
 * Returns since when each check has found a due schedule locked by another transaction; undefined if none is.
 *
 * @throws {StandstillError} if that is long ago
 */
async function refuseLocked({ store, clock }: World, lockedSince = performance.now()): Promise<number | undefined> {
  const [holder] = await lockHoldersOfDue(store, new Date(clock.now()));
  if (!holder) return undefined;
  if (performance.now() - lockedSince < LOCKED_AT_MOST_MILLISECONDS) return lockedSince;
  throw new StandstillError(
    `schedule '${holder.scheduleId}' is due, but ${describeHolder(holder)} keeps it locked; end that transaction before time goes on`,
  );
}

async function workOff(world: World, due: Due, leftAt: LeftAt, target: number): Promise<boolean> {
  const { clock, seat, store } = world;
  let toTime = false;
  for (const pass of PASSES) {
    if (!pass.isDue(due, clock.now())) continue;
    const left = await seat.run((trigger) => pass.run(trigger, seat));
    // A new trigger does what is left.
    if (left === DIED) return true;
    toTime ||= left.toTime;
    if (left.later) leftAt[left.later] = clock.now();
    // A real trigger asks every few seconds. While Temporal is away no answer can come, so these schedules wait beyond
    // this stretch.
    if (left.unverified && world.isTemporalAway()) await postponeTimers(store, left.unverified, new Date(target + 1));
    if (left.toStart) {
      toTime = true;
      if ((await seat.run(startAll)) === DIED) break;
    }
  }
  return toTime;
}

async function startAll({ passes }: Trigger): Promise<void> {
  for (;;) {
    const { taken } = await passes.dispatch();
    if (taken === 0) return;
  }
}

/**
 * Runs the sweep and the reset pass once a month. That is often enough: a sweep creates the partitions of the coming
 * months, and a claim creates those that it needs.
 */
async function sweepMonthly({ seat, clock }: World, swept: Swept): Promise<void> {
  const month = monthOf(new Date(clock.now()));
  if (month === swept.month) return;
  swept.month = month;
  await seat.run(async ({ passes }) => {
    await passes.sweep();
    await passes.reset();
  });
}
