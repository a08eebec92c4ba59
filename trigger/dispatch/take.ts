import { DEFAULTS } from '../../core/defaults';
import { announceWaiting, readWaiting, type TakenPage, takeWaiting } from '../../store/firings/waiting';
import { isOfRow } from '../../store/postgres-errors';
import { byHalves } from '../by-halves';
import { later, type TriggerContext } from '../context';
import { heldSchedules } from '../recover/adoption';

/** How an announcement is named where Postgres refuses it. */
export const ANNOUNCEMENT = 'the announcement of a start';

/** What a take found, or why it did not look. */
export type Taken = TakenPage & { announcedAt: Date; limit: number };

/** Take the next of what waits in a namespace and announce it: no more than the caps let go, and nothing that is set aside. */
export async function take(
  context: TriggerContext,
  namespace: string,
  { onTimeOnly }: { onTimeOnly: boolean },
): Promise<Taken> {
  const { caps, limits, waiting } = context;
  const announcedAt = new Date(context.clock.now());
  const allowance = caps.take(namespace, Math.min(limits.batchSize, limits.startBatchSize));
  const limit = allowance.starts;
  if (limit === 0) return { firings: [], after: {}, isHeldBack: true, isCut: false, announcedAt, limit };
  waiting.taking(namespace, limit);
  let page: TakenPage | undefined;
  try {
    page = await takePage(context, {
      ...{ namespace, limit, onTimeOnly, owner: context.id, now: announcedAt },
      checkAt: later(announcedAt.getTime(), limits.checkAfterMilliseconds),
      onTimeFrom: later(announcedAt.getTime(), -DEFAULTS.onTimeMilliseconds),
      after: waiting.of(namespace).after,
      capped: allowance.taskQueues,
      without: [...context.aside.all(ANNOUNCEMENT), ...heldSchedules(context.adoption, namespace)],
    });
  } finally {
    caps.giveBack(namespace, allowance, page?.firings ?? []);
    if (!page) waiting.failed(namespace);
  }
  waiting.took(namespace, page, { limit, onTimeOnly });
  return { ...page, announcedAt, limit };
}

/** Where Postgres refuses a row of the page, the others are announced by their keys, and the culprit is set aside. */
async function takePage(context: TriggerContext, want: Parameters<typeof takeWaiting>[1]): Promise<TakenPage> {
  try {
    return await takeWaiting(context.store, want);
  } catch (error) {
    if (!isOfRow(error)) throw error;
    const keys = await readWaiting(context.store, want);
    const parts = await byHalves(context, ANNOUNCEMENT, keys, (part) => announceWaiting(context.store, part, want));
    return { firings: parts.flat(), after: {}, isHeldBack: false, isCut: true };
  }
}
