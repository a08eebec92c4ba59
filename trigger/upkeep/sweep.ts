import { wakeThawed } from '../../store/freezes/rows';
import { expireParked, wakeBehindParked } from '../../store/letters/expire-parked';
import type { TriggerContext } from '../context';
import { count } from './count';
import { forget } from './forget';
import { retireMonths } from './retention';
import { forgetUnusedNamespaces } from './unused-namespaces';

/**
 * Create the partitions of this month and the next ahead of time, so that no claim has to. Fail steps that were parked
 * for too long. Wake firings that wait behind others, and schedules that sleep for a freeze that was ended. Count ended
 * months, retire those past retention, and delete the rows that belong to them. Forget namespaces that nobody needs any
 * more.
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
