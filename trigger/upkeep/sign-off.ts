import { handOverToVersionBefore } from '../../store/firings/let-wait';
import { signOff } from '../../store/triggers';
import { later, type TriggerContext } from '../context';
import type { Ticker } from '../ticker';

/**
 * Stop the trigger's heartbeats, and mark the trigger as stopped in the ledger. Firings that wait for their start are
 * not handed back, since they belong to no trigger. Only the last trigger that stops makes them due for a check, for
 * older versions that do not know waiting rows. If Postgres does not answer, this is only logged.
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

/** Close the trigger's connections to Temporal and to Postgres. */
export async function disconnect({ metrics, temporal, store }: TriggerContext): Promise<void> {
  metrics.close();
  try {
    await temporal.close();
  } finally {
    await store.close();
  }
}
