import { PostgresUnreachableError } from '../../core/errors';
import { monthOf, oneOfEachMonth } from '../../store/firings/partitions';
import { isMonthRetired } from '../../store/firings/retire-month';
import type { TriggerContext } from '../context';
import { CLAIM } from './decide';
import type { DuePlan } from './due-plan';

/**
 * Create the months of planned firings. If a month cannot be created, the schedules that need it are left out for a
 * while, so that they do not block others.
 *
 * @returns the plans whose months exist
 */
export async function withMonths(context: TriggerContext, plans: DuePlan[], now: number): Promise<DuePlan[]> {
  const refused = new Map<string, Error>();
  for (const instant of oneOfEachMonth(plans.flatMap(timesOf))) {
    try {
      await context.months.ensure(context.store, [instant], now);
    } catch (error) {
      if (error instanceof PostgresUnreachableError || isMonthRetired(error)) throw error;
      refused.set(monthOf(instant), error as Error);
    }
  }
  if (refused.size === 0) return plans;
  return plans.filter((due) => {
    const missing = timesOf(due).find((time) => refused.has(monthOf(time)));
    if (missing) context.aside.put(CLAIM, due.timer, refused.get(monthOf(missing))!);
    return !missing;
  });
}

function timesOf({ plan }: DuePlan): Date[] {
  return plan.firings.map(({ scheduledTime }) => new Date(scheduledTime));
}
