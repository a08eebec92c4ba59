import type { ChaosSchedule } from '../workload/definitions';
import { type Facts, named, type Violation } from './facts';

/** Checks in Temporal's data that no schedule had more parallel runs than its policies allow. */
export function checkOverlap({ schedules, chains }: Facts): Violation[] {
  return schedules.flatMap((schedule) => {
    const atMost = limitOf(schedule);
    if (atMost === undefined) return [];
    const steps = chains
      .filter(({ scheduleId, firstTaskAt }) => scheduleId === schedule.scheduleId && firstTaskAt !== undefined)
      .flatMap((chain) => [
        { at: chain.firstTaskAt!, by: 1, chain },
        { at: chain.closedAt ?? Number.POSITIVE_INFINITY, by: -1, chain },
      ])
      // If a run ends at the instant at which another one begins, the two were not parallel.
      .sort((one, other) => one.at - other.at || one.by - other.by);
    let running = 0;
    return steps.flatMap(({ by, chain }): Violation[] => {
      running += by;
      if (by < 0 || running <= atMost) return [];
      return [{ kind: 'overlap violated', text: `${named(chain)} began while ${running - 1} ran` }];
    });
  });
}

/** The maximum number of parallel runs of a schedule; undefined for no limit. */
export function limitOf({ policies: { overlap = 'SKIP', maxConcurrent } }: ChaosSchedule): number | undefined {
  return overlap === 'ALLOW_ALL' ? maxConcurrent : (maxConcurrent ?? 1);
}
