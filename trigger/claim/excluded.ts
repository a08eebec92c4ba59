import type { Store } from '../../store/connection';
import { readExclusionsOf } from '../../store/firings/exclude';
import { groupBy } from '../group';
import type { DuePlan } from './due-plan';

/**
 * The excluded times, in epoch milliseconds, of plans that let only some of the due occurrences fire. An excluded
 * occurrence must not be among the chosen ones.
 */
export async function readExcluded(store: Store, plans: DuePlan[]): Promise<Map<DuePlan, number[]>> {
  const choosing = plans.filter(isChoosing);
  if (choosing.length === 0) return new Map();
  const schedules = choosing.map(({ timer }) => ({ scheduleId: timer.scheduleId, after: timer.answeredTo }));
  const excluded = groupBy(await readExclusionsOf(store, schedules), (key) => key.scheduleId);
  return new Map(
    choosing.flatMap((due) => {
      const times = excluded.get(due.timer.scheduleId);
      return times ? [[due, times.map(({ scheduledTime }) => scheduledTime.getTime())] as const] : [];
    }),
  );
}

function isChoosing({ plan: { firings, gaps } }: DuePlan): boolean {
  return firings.length > 0 && gaps.some(({ reason }) => reason === 'over_catchup_limit' || reason === 'frozen');
}
