import { releaseClaims } from '../store/start';
import { signOff } from '../store/triggers';
import type { TriggerContext } from './context';
import type { Ticker } from './ticker';

/** Hand the claims back that wait, stop beating, and leave the row in `triggers` as one that stopped. Postgres away is no error. */
export async function handBack({ id, store, clock, logger, queue }: TriggerContext, beating: Ticker): Promise<void> {
  queue.clear();
  try {
    const releasing = releaseClaims(store, id, new Date(clock.now()));
    // Until then it is alive: tens of thousands take longer than others wait before they take over.
    const released = await releasing.finally(() => beating.stop());
    if (released > 0) logger.info('claims handed back', { firings: released });
    await signOff(store, id);
  } catch (error) {
    logger.warn('claims could not be handed back; another trigger takes them over', {
      error: (error as Error).message,
    });
  }
}

/** Close its connections to Temporal and to Postgres. */
export async function disconnect({ temporal, store }: TriggerContext): Promise<void> {
  try {
    await temporal.close();
  } finally {
    await store.close();
  }
}
