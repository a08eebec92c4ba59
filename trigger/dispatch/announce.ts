import { DEFAULTS } from '../../core/defaults';
import {
  announceWaiting,
  readWaiting,
  type TakenPage,
  takeWaiting,
  type WaitingTake,
} from '../../store/firings/waiting';
import { CallLease } from '../../temporal/call-lease';
import { takeByHalves } from '../by-halves';
import { DatabaseClock } from '../clock';
import { later, type TriggerContext } from '../context';
import type { LeftByTake } from './waiting-hints';

export const ANNOUNCEMENT = 'the announcement of a start';

const LEASE_SHARE = 0.8;

/**
 * For how long the starts that are announced now may be called: eight seconds, unless the ledger's `staleAfter` asks
 * for less.
 */
export function startLease({ limits, settings }: TriggerContext): CallLease {
  return new CallLease(Math.min(limits.startLeaseMilliseconds, settings.staleAfterMilliseconds * LEASE_SHARE));
}

/** The time of an announcement; undefined to let Postgres take its own clock. */
export function presentOf({ clock }: TriggerContext, announcedAt: Date): Date | undefined {
  return clock instanceof DatabaseClock ? undefined : announcedAt;
}

export type Taken = Pick<TakenPage, 'firings' | 'isHeldBack'> & LeftByTake & { announcedAt: Date };

/**
 * Take the next waiting firings of a namespace and announce them, within the caps. Firings of schedules that
 * `context.aside` leaves out stay waiting.
 */
export async function take(context: TriggerContext, namespace: string, { known }: { known: boolean }): Promise<Taken> {
  const { caps, limits, waiting } = context;
  const announcedAt = new Date(context.clock.now());
  const allowance = caps.take(namespace, Math.min(limits.batchSize, limits.startBatchSize));
  const limit = allowance.starts;
  if (limit === 0) return { firings: [], isHeldBack: true, announcedAt, more: false, lanesLeft: false };
  const { take, lanes } = waiting.taking(namespace, limit);
  let page: TakenPage | undefined;
  try {
    page = await takePage(context, {
      ...{ namespace, limit, owner: context.id, now: announcedAt, at: presentOf(context, announcedAt) },
      lanes: known ? lanes : undefined,
      checkAt: later(announcedAt.getTime(), limits.checkAfterMilliseconds),
      onTimeFrom: later(announcedAt.getTime(), -DEFAULTS.onTimeMilliseconds),
      after: waiting.of(namespace).after,
      capped: allowance.taskQueues,
    });
  } finally {
    caps.giveBack(namespace, allowance, page);
    if (!page) waiting.failed(namespace, take);
  }
  const { firings, isHeldBack } = page;
  return { firings, isHeldBack, announcedAt, ...waiting.took(namespace, page, { limit, take }) };
}

/** If Postgres refuses one row of the batch, that row is left out and the others are announced by their keys. */
async function takePage(
  { store, aside, stopping }: TriggerContext,
  query: Omit<WaitingTake, 'without'>,
): Promise<TakenPage> {
  let page: Omit<TakenPage, 'firings'> = { after: {}, isHeldBack: false, isCut: true };
  const firings = await takeByHalves({ aside, stopping }, ANNOUNCEMENT, {
    take: async ({ without, only }) => {
      if (only) return announceWaiting(store, only, query);
      const { firings, ...rest } = await takeWaiting(store, { ...query, without });
      page = rest;
      return firings;
    },
    read: ({ without }) => readWaiting(store, { ...query, without }),
  });
  return { ...page, firings };
}
