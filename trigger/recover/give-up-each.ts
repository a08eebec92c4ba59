import type { StartableFiring } from '../../store/firings/start';
import { writeOrSetAside } from '../by-halves';
import { concurrently } from '../concurrently';
import type { TriggerContext } from '../context';
import { groupBy } from '../group';
import { giveUp } from './refused';

/** Schedules whose firings are given up at once, each on a connection of the pool. */
const SCHEDULES_AT_ONCE = 4;

/** A firing that is to be given up, how, and what must still be so of it. */
export interface GivenUp<Firing> {
  firing: Firing;
  end: Parameters<typeof giveUp>[2];
  decidedOn: NonNullable<Parameters<typeof giveUp>[3]>;
}

/**
 * Give firings up: of one schedule one after the other, so that none waits for the schedule's lock. One that Postgres refuses is
 * set aside.
 *
 * @returns those that were given up
 */
export async function giveUpEach<Firing extends StartableFiring>(
  context: TriggerContext,
  lost: GivenUp<Firing>[],
): Promise<Set<Firing>> {
  const done = new Set<Firing>();
  const ofSchedules = [...groupBy(lost, ({ firing }) => firing.scheduleId).values()];
  await concurrently(ofSchedules, SCHEDULES_AT_ONCE, context.stopping, async (ofSchedule) => {
    for (const { firing, end, decidedOn } of ofSchedule) {
      if (context.stopping.aborted) break;
      const isDone = await writeOrSetAside(context, 'the end of a firing', firing, () =>
        giveUp(context, firing, end, decidedOn),
      );
      if (isDone) done.add(firing);
    }
  });
  return done;
}
