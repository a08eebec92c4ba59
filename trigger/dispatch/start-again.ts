import { announceAgain, type StartKey } from '../../store/firings/start';
import { byHalves } from '../by-halves';
import { later, type TriggerContext } from '../context';
import { ANNOUNCEMENT, presentOf, startLease } from './announce';
import { callStarts } from './call-starts';
import { orTakeBack, settleOutcomes } from './settle-outcomes';

/** Call start once more for firings that were announced before and that this trigger has taken over. */
export async function startAgain(context: TriggerContext, firings: StartKey[]): Promise<void> {
  const { startBatchSize, checkAfterMilliseconds } = context.limits;
  for (let from = 0; from < firings.length && !context.stopping.aborted; from += startBatchSize) {
    const announcedAt = new Date(context.clock.now());
    const claimant = {
      ...{ owner: context.id, now: announcedAt, checkAt: later(announcedAt.getTime(), checkAfterMilliseconds) },
      at: presentOf(context, announcedAt),
    };
    // A trigger that takes a firing over measures from the announcement in the row. So the lease begins before the
    // announcement.
    const lease = startLease(context);
    const batch = firings.slice(from, from + startBatchSize);
    const write = (part: typeof batch) => announceAgain(context.store, part, claimant);
    const again = (await byHalves(context, ANNOUNCEMENT, batch, write, (rows) => rows)).flat();
    const outcomes = await orTakeBack(context, again, announcedAt, () => callStarts(context, again, lease));
    await settleOutcomes(context, outcomes, announcedAt);
  }
}
