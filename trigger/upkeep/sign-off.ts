import { handOverToVersionBefore } from '../../store/firings/let-wait';
import { signOff } from '../../store/triggers';
import { later, type TriggerContext } from '../context';
import type { Ticker } from '../ticker';

/**
 * Stop the trigger's heartbeats, and delete the trigger's row in the ledger. Firings that wait for their start are not
 * handed back, since they belong to no trigger. If no other live trigger takes waiting firings, these firings are made
 * due for a check, which triggers of older versions make. A failure is only logged.
 */
export async function leaveLedger(
  { id, store, clock, settings, logger }: TriggerContext,
  heartbeats: Ticker,
): Promise<void> {
  try {
    await heartbeats.stop();
    const now = clock.now();
    const isOtherAlive = await signOff(store, id, later(now, -settings.staleAfterMilliseconds));
    if (!isOtherAlive) await handOverToVersionBefore(store, new Date(now));
  } catch (error) {
    logger.warn('the trigger could not sign off; another one takes over its announced starts', {
      error: (error as Error).message,
    });
  }
}

export async function disconnect({ metrics, temporal, store }: TriggerContext): Promise<void> {
  metrics.close();
  try {
    await temporal.close();
  } finally {
    await store.close();
  }
}
