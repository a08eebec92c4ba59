import type { StartableFiring } from '../../store/firings/start';
import { writeOrSetAside } from '../by-halves';
import { concurrently } from '../concurrently';
import type { TriggerContext } from '../context';
import { groupBy } from '../group';
import { giveUp } from './refused';

/** How many schedules are handled at once, each on a connection of its own from the pool. */
const SCHEDULES_AT_ONCE = 4;

/** A firing to abandon, with the state to write and the condition under which it is written. */
export interface GivenUp<Firing> {
  firing: Firing;
  end: Parameters<typeof giveUp>[2];
  decidedOn: NonNullable<Parameters<typeof giveUp>[3]>;
}

/**
 * Abandon firings. Firings of one schedule are handled one after the other, so that none waits for the schedule's lock.
 * A firing whose row Postgres refuses is set aside.
 *
 * @returns the firings that were abandoned
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
