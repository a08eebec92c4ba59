import type { FiringKey } from '../core/firing';
import { type OpenChain, setChecks } from '../store/reads/agenda';
import { LONGEST_UNLISTED_PAUSE_MILLISECONDS } from '../trigger/observe/observe';
import type { World } from './world';

const DAY = 24 * 60 * 60 * 1_000;

/**
 * Which open chains on the real server need a new time for their next poll: all (the test may have signalled them),
 * those linked before this instant (`settled`), or none.
 */
export type Doubt = 'all' | 'settled' | 'none';

/**
 * Sets when open chains are polled next. Returns the first of these times, or null without an open chain. Each chain is
 * polled when its wait ends, or after a day, and not at short intervals as by a real trigger. So a simulated year costs
 * little.
 */
export async function timeChains(world: World, chains: OpenChain[], doubt: Doubt): Promise<Date | null> {
  const checks: (FiringKey & { checkAt: Date })[] = [];
  let first: number | undefined;
  for (const chain of chains) {
    const checkAt = chain.checkAt.getTime();
    const played = world.double.chain(chain.namespace, chain.workflowId);
    // The clock goes in whole milliseconds, but a retry's pause may have a fraction of one.
    const changesAt = played ? Math.ceil(played.endsAt) : await realChangesAt(world, chain, doubt);
    // A chain that only a message can end is polled daily. So a poll that lies further ahead than a trigger's usual
    // interval belongs to such a chain.
    const now = world.clock.now();
    const daily = checkAt > now + LONGEST_UNLISTED_PAUSE_MILLISECONDS ? checkAt : now + DAY;
    const pollAt = changesAt === undefined ? checkAt : Math.min(changesAt, daily);
    // A later poll of a simulated chain is not written, since the chain is checked again in each round.
    if (pollAt < checkAt || (pollAt > checkAt && !played)) {
      checks.push({ ...chain, checkAt: new Date(pollAt) });
    }
    first = Math.min(first ?? pollAt, pollAt);
  }
  await setChecks(world.store, checks);
  return first === undefined ? null : new Date(first);
}

/** When a real chain is polled next; undefined if the time of its next poll stays as it is. */
async function realChangesAt({ real, clock }: World, chain: OpenChain, doubt: Doubt): Promise<number | undefined> {
  const now = clock.now();
  if (doubt === 'all') return now;
  // A chain that was started at this very instant has not had time to run.
  if (doubt !== 'settled' || chain.linkedAt.getTime() >= now) return undefined;
  // A message may have woken this busy chain, however far ahead its next poll was.
  return (
    (await real?.changesNextAt(chain)) ?? Math.min(chain.checkAt.getTime(), now + LONGEST_UNLISTED_PAUSE_MILLISECONDS)
  );
}
