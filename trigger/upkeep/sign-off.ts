import { handOverToVersionBefore } from '../../store/firings/let-wait';
import { signOff } from '../../store/triggers';
import { later, type TriggerContext } from '../context';
import type { Ticker } from '../ticker';

/**
 * Stop its heartbeats, and mark the trigger as stopped in the ledger. Nothing is handed back, since firings that wait
 * for their start belong to no trigger. Only the last trigger sets a check on them, for older versions that do not know
 * waiting rows. If Postgres does not answer, that is no error.
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

/** Close its connections to Temporal and to Postgres. */
export async function disconnect({ metrics, temporal, store }: TriggerContext): Promise<void> {
  metrics.close();
  try {
    await temporal.close();
  } finally {
    await store.close();
  }
}
