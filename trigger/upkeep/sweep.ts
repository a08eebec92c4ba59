import { wakeThawed } from '../../store/freezes/rows';
import { expireParked, wakeBehindParked } from '../../store/letters/expire-parked';
import type { TriggerContext } from '../context';
import { count } from './count';
import { forget } from './forget';
import { retireMonths } from './retire-months';
import { forgetUnusedNamespaces } from './unused-namespaces';

/**
 * Create the partitions of this month and the next ahead of time, so that no claim has to create them. Steps that were
 * parked for too long are made to fail. Firings that wait behind parked ones are woken, and so are schedules that sleep
 * for a freeze that was ended. Months that ended are counted, and months past retention are retired. Old rows of other
 * tables are deleted. Namespaces that nobody needs any more are forgotten.
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
