import { DEFAULTS } from '../core/defaults';
import { type Agenda, type OpenChain, readAgenda } from '../store/agenda';
import type { Store } from '../store/connection';
import { postponeChecks, type RunningChain } from '../store/observe';
import type { Trigger } from '../trigger/trigger';
import type { TemporalDouble } from './double/temporal-double';
import { StandstillError } from './errors';
import type { RealTemporal } from './real-temporal';
import { DIED, type TriggerSeat } from './trigger-seat';
import type { VirtualClock } from './virtual-clock';

/** What a stretch of virtual time is driven with. */
export interface World {
  clock: VirtualClock;
  store: Store;
  seat: TriggerSeat;
  double: TemporalDouble;
  real: RealTemporal | undefined;
}

const { staleAfterMilliseconds } = DEFAULTS.trigger;
/** Rounds of passes at one instant, after which something is wrong: each takes a batch. */
const ROUNDS_AT_MOST = 10_000;
const DAY = 24 * 60 * 60 * 1_000;
/** It is known here when a chain ends: nobody who waits for it needs a look before. */
const NEVER_SOONER = new Date(8.64e15);

/** What is due when; `chain` is when there is something to see of an open one. */
type Due = Omit<Agenda, 'chains'> & { chain: Date | null };

/** Which open chains of the real server may have changed otherwise than by time: all, those that were worked on, none. */
type Doubt = 'all' | 'settled' | 'none';

/** What a pass of one instant left to do. */
interface Left {
  toStart: boolean;
  /** Chains are open of which it is not known yet when to look at them. */
  toTime: boolean;
}

/**
 * The passes in the order in which one instant is worked off, and what makes each due. Ends come before claims, so that
 * overlap sees them. A pass that is added to the trigger gets its line here.
 */
const PASSES: {
  isDue(due: Due, now: number): boolean;
  run(trigger: Trigger, seat: TriggerSeat): Promise<Left>;
}[] = [
  {
    isDue: ({ chain }, now) => isPast(chain, now),
    async run({ passes }) {
      const { looked, closed } = await passes.observe();
      return { toStart: false, toTime: looked > closed };
    },
  },
  {
    isDue: ({ interrupt }, now) => isPast(interrupt, now),
    async run({ passes }) {
      const { sent } = await passes.interrupt();
      return { toStart: false, toTime: sent > 0 };
    },
  },
  {
    isDue: ({ redrive }, now) => isPast(redrive, now),
    async run({ passes }) {
      const { restarted, resumed, decided } = await passes.redrive();
      return { toStart: restarted > 0, toTime: resumed + decided > 0 };
    },
  },
  {
    isDue: ({ claim, otherBeat }, now) => isPast(claim, now) || (otherBeat !== null && staleAt(otherBeat) <= now),
    async run({ passes }) {
      const { restarted, taken } = await passes.reconcile();
      return { toStart: restarted > 0, toTime: taken > 0 };
    },
  },
  {
    isDue: ({ timer }, now) => isPast(timer, now),
    async run({ passes }, seat) {
      const { claimed, postponed } = await passes.claim();
      const verified = postponed.length > 0 ? (await passes.verify()).claimed.length : 0;
      if (claimed.length + verified > 0) await seat.claimed();
      return { toStart: claimed.length + verified > 0, toTime: false };
    },
  },
];

/**
 * Work off every instant at which something is due, up to and including `target`, and stop there. Between two instants
 * nothing of a trigger happens; what runs on a real server does.
 */
export async function goThrough(world: World, target: number, swept: { week: number }): Promise<void> {
  const { clock, store, seat } = world;
  // What was signalled or changed from outside since the last stretch is unknown.
  let doubt: Doubt = 'all';
  for (let rounds = 0; ; ) {
    const { chains, ...agenda } = await readAgenda(store, await seat.id());
    const due: Due = { ...agenda, chain: await timeChains(world, chains, doubt) };
    seat.othersBeat = due.otherBeat !== null;
    const next = earliest(due);
    if (next > target) break;
    if (next > clock.now()) rounds = 0;
    if (++rounds > ROUNDS_AT_MOST) {
      throw new StandstillError(`the passes of ${new Date(clock.now()).toISOString()} never get done`);
    }
    await moveTo(world, next);
    await sweepWeekly(world, swept);
    doubt = (await workOff(world, due)) ? 'settled' : 'none';
  }
  await moveTo(world, target);
  await seat.beat();
}

/** The clock moves and nobody is there to fire anything. */
export async function moveTo({ clock, real }: World, instant: number): Promise<void> {
  if (instant <= clock.now()) return;
  await real?.advanceTo(instant);
  clock.set(instant);
}

/** The passes of one instant. Whether chains are open now of which it is not known when to look at them. */
async function workOff({ clock, seat }: World, due: Due): Promise<boolean> {
  let toTime = false;
  for (const pass of PASSES) {
    if (!pass.isDue(due, clock.now())) continue;
    const left = await seat.run((trigger) => pass.run(trigger, seat));
    // A fresh trigger sees to the rest, when it is due.
    if (left === DIED) return true;
    toTime ||= left.toTime;
    if (left.toStart) {
      toTime = true;
      if ((await seat.run(startAll)) === DIED) break;
    }
  }
  return toTime;
}

/** A dead trigger has left its queue with it: a fresh one's is empty. */
async function startAll({ passes }: Trigger): Promise<void> {
  for (;;) {
    const { linked, deferred, refused } = await passes.start();
    if (linked + deferred + refused === 0) return;
  }
}

/**
 * When there is something to see of the first of the open chains. A trigger looks every half minute; jumping to the end
 * of what a chain waits for finds the same and takes a year no longer than its events.
 */
async function timeChains(world: World, chains: OpenChain[], doubt: Doubt): Promise<Date | null> {
  const checks: RunningChain[] = [];
  let first: number | undefined;
  for (const chain of chains) {
    const checkAt = chain.checkAt.getTime();
    const played = world.double.chain(chain.namespace, chain.workflowId);
    const changesAt = played ? played.endsAt : await realChangesAt(world, chain, doubt);
    // What only a message ends is looked at daily.
    const lookAt = changesAt === undefined ? checkAt : Math.min(changesAt, checkAt + DAY);
    // What is played is known again at the next look here, and need not be written down to be looked at later.
    if (lookAt < checkAt || (lookAt > checkAt && !played)) {
      checks.push({ ...chain, stalled: null, checkAt: new Date(lookAt) });
    }
    first = Math.min(first ?? lookAt, lookAt);
  }
  await postponeChecks(world.store, checks, NEVER_SOONER);
  return first === undefined ? null : new Date(first);
}

/** When there will be something to see of a real chain; undefined where its next look stays as it is. */
async function realChangesAt({ real, clock }: World, chain: OpenChain, doubt: Doubt): Promise<number | undefined> {
  if (doubt === 'all') return clock.now();
  // What was started at this very instant has not been given the time to run.
  return doubt === 'settled' && chain.linkedAt.getTime() < clock.now() ? real?.looksChangedAt(chain) : undefined;
}

/** A sweep each minute would find nothing new: it makes the months ahead, and a claim makes its own. */
async function sweepWeekly({ seat, clock }: World, swept: { week: number }): Promise<void> {
  const week = Math.floor(clock.now() / (7 * DAY));
  if (week === swept.week) return;
  swept.week = week;
  await seat.run(async ({ passes }) => {
    await passes.sweep();
    await passes.reset();
  });
}

function earliest({ otherBeat, ...due }: Due): number {
  const instants = Object.values(due).filter((instant) => instant !== null);
  return Math.min(
    ...instants.map((instant) => instant.getTime()),
    otherBeat === null ? Number.POSITIVE_INFINITY : staleAt(otherBeat),
  );
}

/** The first millisecond at which a trigger that beat last at `beatAt` is dead. */
function staleAt(beatAt: Date): number {
  return beatAt.getTime() + staleAfterMilliseconds + 1;
}

function isPast(instant: Date | null, now: number): boolean {
  return instant !== null && instant.getTime() <= now;
}
