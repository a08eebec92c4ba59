import { wakeThawed } from '../../store/freezes/rows';
import { expireParked, wakeBehindParked } from '../../store/letters/expire-parked';
import type { TriggerContext } from '../context';
import { count } from './count';
import { forget } from './forget';
import { retireMonths } from './retention';
import { forgetUnusedNamespaces } from './unused-namespaces';

/**
 * Make this month and the next one ahead of time, so that no claim has to. Have steps fail that were parked for too
 * long; wake what waits behind the others, and what sleeps for a freeze that was ended. Count months that have ended,
 * retire those that are past retention, and delete what went with them. Forget namespaces that nobody needs any more.
 */
export async function sweep(context: TriggerContext): Promise<void> {
  const now = new Date(context.clock.now());
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  for (const month of [now, nextMonth]) await context.months.make(context.store, month, now.getTime());
  await expireParked(context.store, now);
  await wakeBehindParked(context.store, now);
  await wakeThawed(context.store, now);
  await retireMonths(context, await count(context));
  await forget(context);
  await forgetUnusedNamespaces(context);
}
