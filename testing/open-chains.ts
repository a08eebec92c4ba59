import type { FiringKey } from '../core/firing';
import { type OpenChain, setChecks } from '../store/reads/agenda';
import { LONGEST_UNLISTED_PAUSE_MILLISECONDS } from '../trigger/observe/observe';
import type { World } from './world';

const DAY = 24 * 60 * 60 * 1_000;

/** Which open chains of the real server may have changed otherwise than by time: all, those that were worked on, none. */
export type Doubt = 'all' | 'settled' | 'none';

/**
 * When there is something to see of the first of the open chains. A trigger polls every half minute; jumping to the end
 * of what a chain waits for finds the same and takes a year no longer than its events.
 */
export async function timeChains(world: World, chains: OpenChain[], doubt: Doubt): Promise<Date | null> {
  const checks: (FiringKey & { checkAt: Date })[] = [];
  let first: number | undefined;
  for (const chain of chains) {
    const checkAt = chain.checkAt.getTime();
    const played = world.double.chain(chain.namespace, chain.workflowId);
    const changesAt = played ? played.endsAt : await realChangesAt(world, chain, doubt);
    // What only a message ends is polled daily: a poll that is further off than a trigger's own is the next of these.
    const now = world.clock.now();
    const daily = checkAt > now + LONGEST_UNLISTED_PAUSE_MILLISECONDS ? checkAt : now + DAY;
    const pollAt = changesAt === undefined ? checkAt : Math.min(changesAt, daily);
    // What is played is known again at the next round here, and need not be written down to be polled later.
    if (pollAt < checkAt || (pollAt > checkAt && !played)) {
      checks.push({ ...chain, checkAt: new Date(pollAt) });
    }
    first = Math.min(first ?? pollAt, pollAt);
  }
  await setChecks(world.store, checks);
  return first === undefined ? null : new Date(first);
}

/** When there will be something to see of a real chain; undefined where its next poll stays as it is. */
async function realChangesAt({ real, clock }: World, chain: OpenChain, doubt: Doubt): Promise<number | undefined> {
  const now = clock.now();
  if (doubt === 'all') return now;
  // What was started at this very instant has not been given the time to run.
  if (doubt !== 'settled' || chain.linkedAt.getTime() >= now) return undefined;
  // What is busy was woken by a message, however far off its next poll was.
  return (
    (await real?.changesNextAt(chain)) ?? Math.min(chain.checkAt.getTime(), now + LONGEST_UNLISTED_PAUSE_MILLISECONDS)
  );
}
