import { monthOf } from '../../store/firings/partitions';
import type { TriggerContext } from '../context';
import type { DuePlan } from './due-plan';

/**
 * Create the months of planned firings. A schedule that needs a month which cannot be created is left out of this pass,
 * so that it does not block others.
 *
 * @returns the plans whose months exist
 */
export async function withMonths(context: TriggerContext, plans: DuePlan[], now: number): Promise<DuePlan[]> {
  const missing = await context.months.ensure(context.store, plans.flatMap(timesOf), now);
  return missing.size === 0 ? plans : plans.filter((due) => !timesOf(due).some((time) => missing.has(monthOf(time))));
}

function timesOf({ plan }: DuePlan): Date[] {
  return plan.firings.map(({ scheduledTime }) => new Date(scheduledTime));
}
