import { wakeThawed } from '../../store/freezes/rows';
import { expireParked, wakeBehindParked } from '../../store/letters/expire-parked';
import type { TriggerContext } from '../context';
import { count } from './count';
import { forget } from './forget';
import { retireMonths } from './retire-months';
import { forgetUnusedNamespaces } from './unused-namespaces';

/**
 * Upkeep of the ledger. The partitions of this month and the next are created, so that few claims have to create one.
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
