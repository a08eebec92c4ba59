import { DEFAULTS } from '../../core/defaults';
import {
  announceWaiting,
  readWaiting,
  type TakenPage,
  takeWaiting,
  type WaitingTake,
} from '../../store/firings/waiting';
import { Lease } from '../../temporal/lease';
import { takeByHalves } from '../by-halves';
import { later, type TriggerContext } from '../context';

/** How an announcement is named where Postgres refuses it. */
export const ANNOUNCEMENT = 'the announcement of a start';

/** Four fifths: what is called at its very end is answered before its trigger counts as dead. */
const LEASE_SHARE = 0.8;

/** For how long what is announced from now on may be called: within the life of a trigger without another heartbeat. */
export function startLease({ limits, settings }: TriggerContext): Lease {
  return new Lease(Math.min(limits.startLeaseMilliseconds, settings.staleAfterMilliseconds * LEASE_SHARE));
}

/** What a take found, or why it read nothing. */
export type Taken = TakenPage & { announcedAt: Date; limit: number };

/** Take the next of what waits in a namespace and announce it: no more than the caps let go, and nothing that is set aside. */
export async function take(context: TriggerContext, namespace: string, { known }: { known: boolean }): Promise<Taken> {
  const { caps, limits, waiting } = context;
  const announcedAt = new Date(context.clock.now());
  const allowance = caps.take(namespace, Math.min(limits.batchSize, limits.startBatchSize));
  const limit = allowance.starts;
  if (limit === 0) return { firings: [], after: {}, isHeldBack: true, isCut: false, announcedAt, limit };
  const { take, lanes } = waiting.taking(namespace, limit);
  let page: TakenPage | undefined;
  try {
    page = await takePage(context, {
      ...{ namespace, limit, owner: context.id, now: announcedAt },
      lanes: known ? lanes : undefined,
      checkAt: later(announcedAt.getTime(), limits.checkAfterMilliseconds),
      onTimeFrom: later(announcedAt.getTime(), -DEFAULTS.onTimeMilliseconds),
      after: waiting.of(namespace).after,
      capped: allowance.taskQueues,
    });
  } finally {
    caps.giveBack(namespace, allowance, page?.firings ?? []);
    if (!page) waiting.failed(namespace);
  }
  waiting.took(namespace, page, { limit, take });
  return { ...page, announcedAt, limit };
}

/** Where Postgres refuses a row of the page, the others are announced by their keys, and the culprit is set aside. */
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
