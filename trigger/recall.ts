import { recallDeferred } from '../store/start';
import type { TriggerContext } from './context';

/** What waits for a namespace that answers again need not wait any longer. Returns how many firings that are. */
export async function recallWhatWaits({ temporal, store, clock, logger }: TriggerContext): Promise<number> {
  let recalled = 0;
  for (const namespace of temporal.takeBack()) {
    const firings = await recallDeferred(store, namespace, new Date(clock.now()));
    if (firings > 0) logger.info('starts go on', { namespace, firings });
    recalled += firings;
  }
  return recalled;
}
