import type { ObservedFiring } from '../../store/firings/observe';
import { TemporalCallError } from '../../temporal/port';
import { concurrently, isDone } from '../concurrently';
import type { TriggerContext } from '../context';
import { lookUpChain } from './chain';

/** By default, fewer calls run in parallel than for starts, since starting due firings matters more. */
const CALLS_IN_FLIGHT = 16;

export type DescribedChain<Firing extends ObservedFiring = ObservedFiring> = Awaited<
  ReturnType<typeof describeChain<Firing>>
>;

/** If the trigger stops, chains about which Temporal was not asked are missing in the result. */
export async function describeChains<Firing extends ObservedFiring>(
  context: TriggerContext,
  firings: readonly Firing[],
): Promise<DescribedChain<Firing>[]> {
  const inFlight = Math.min(CALLS_IN_FLIGHT, context.limits.startsInFlight);
  const described = await concurrently(firings, inFlight, context.stopping, (firing) => describeChain(context, firing));
  return described.filter(isDone);
}

async function describeChain<Firing extends ObservedFiring>(context: TriggerContext, firing: Firing) {
  try {
    const chain = await lookUpChain(context, firing);
    if (chain.state === 'closed') return { state: 'closed', firing, closed: chain.closed } as const;
    context.ends.runs(firing.namespace);
    return { state: 'running', firing, stalled: (chain.state === 'running' && chain.stalled) || null } as const;
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    return { state: 'unanswered', firing } as const;
  }
}

export function isClosed<Chain extends DescribedChain>(chain: Chain): chain is Extract<Chain, { state: 'closed' }> {
  return chain.state === 'closed';
}
