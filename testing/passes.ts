import type { Agenda } from '../store/reads/agenda';
import type { Trigger } from '../trigger/trigger';
import type { TriggerSeat } from './trigger-seat';

/**
 * When each pass is due next. `parked` is the time to sweep after steps were parked, `chain` the time to poll an open
 * chain, and `ahead` the time to hand firings over ahead of their time.
 */
export type Due = Omit<Agenda, 'chains' | 'parked'> & {
  parked: Date | null;
  chain: Date | null;
  ahead: Date | null;
};

/** Work that a pass may leave for later, for example while its namespace does not answer. */
export type Postponable = 'expiry' | 'chain' | 'interrupt' | 'redrive' | 'waiting' | 'claim';

export interface Left {
  toStart: boolean;
  /** Whether there are open chains for which the time of the next poll is not known yet. */
  toTime: boolean;
  /** The work that is tried again later, if it is still due. */
  later?: Postponable | false;
  /** Schedules that would skip a firing. Temporal has not answered whether the firings that block them still run. */
  unverified?: string[];
}

/** The passes run in this order. Ends are recorded before claims, so that the overlap policy sees the ends. */
export const PASSES: {
  isDue(due: Due, now: number): boolean;
  run(trigger: Trigger, seat: TriggerSeat): Promise<Left>;
}[] = [
  {
    isDue: ({ expiry, parked }, now) => isPast(expiry, now) || isPast(parked, now),
    async run({ passes }) {
      await passes.sweep();
      return { toStart: false, toTime: false, later: 'expiry' };
    },
  },
  {
    isDue: ({ chain }, now) => isPast(chain, now),
    async run({ passes }) {
      const { polled, unanswered } = await passes.observe();
      // Firings that waited for an ended chain are left to a claim pass.
      return { toStart: false, toTime: polled > 0, later: polled > 0 && polled === unanswered && 'chain' };
    },
  },
  {
    isDue: ({ interrupt }, now) => isPast(interrupt, now),
    async run({ passes }) {
      const { sent, closed } = await passes.interrupt();
      return { toStart: false, toTime: sent > 0, later: sent + closed === 0 && 'interrupt' };
    },
  },
  {
    isDue: ({ redrive }, now) => isPast(redrive, now),
    async run({ passes }) {
      const { taken, restarted, resumed, decided } = await passes.redrive();
      return { toStart: restarted > 0, toTime: resumed + decided > 0, later: taken === 0 && 'redrive' };
    },
  },
  {
    isDue: ({ waiting }, now) => isPast(waiting, now),
    async run({ passes }) {
      const { taken } = await passes.dispatch();
      if (taken > 0) return { toStart: true, toTime: true };
      // If the namespace refuses every call, the reconcile pass abandons what has waited for too long.
      const { waiting, taken: lost } = await passes.reconcile();
      return { toStart: waiting > 0, toTime: lost > 0, later: 'waiting' };
    },
  },
  {
    isDue: ({ claim, takeover }, now) => isPast(claim, now) || isPast(takeover, now),
    async run({ passes }) {
      await passes.askAway();
      const { waiting, taken, deadTriggers, more } = await passes.reconcile();
      const leftAll = taken + deadTriggers.length === 0 && !more;
      return { toStart: waiting > 0, toTime: taken > 0, later: leftAll && 'claim' };
    },
  },
  {
    isDue: ({ timer, ahead }, now) => isPast(timer, now) || isPast(ahead, now),
    async run({ passes }, seat) {
      const { claimed, postponed } = await passes.claim();
      const verified = postponed.length > 0 ? await passes.verify() : { claimed: [], postponed: [] };
      const started = claimed.length + verified.claimed.length > 0;
      if (started) await seat.claimed();
      return { toStart: started, toTime: false, unverified: verified.postponed };
    },
  },
];

export function earliest(due: Due): number {
  const instants = Object.values(due).filter((instant) => instant !== null);
  return Math.min(...instants.map((instant) => instant.getTime()));
}

function isPast(instant: Date | null, now: number): boolean {
  return instant !== null && instant.getTime() <= now;
}
