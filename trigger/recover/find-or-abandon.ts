import type { AbandonReason, RecoveryDecision } from '../../core/decisions/recovery';
import { postponeClaims } from '../../store/firings/start';
import type { TakenFiring } from '../../store/firings/take-over-lost';
import type { TriggerContext } from '../context';
import { lookUpChain } from '../observe/chain';
import { linkFound } from './link-found';

export type Recovered = Exclude<RecoveryDecision, { action: 'find' }> | { action: 'find' };

/**
 * Link the chain that an earlier call has started. If there is none, the firing is abandoned once no call can start one
 * any more.
 */
export async function findOrAbandon(
  context: TriggerContext,
  firing: TakenFiring,
  reason: AbandonReason,
  now: number,
): Promise<Recovered> {
  const chain = await lookUpChain(context, { ...firing, runId: null });
  if (chain.state !== 'missing') {
    await linkFound(context, firing, chain.state === 'running' ? chain.runId : chain.closed.runId!);
    return { action: 'find' };
  }
  return abandonOnceSettled(context, firing, reason, now);
}

/**
 * A call that is not sent yet, or is on its way, could succeed after the lookup. So the firing is abandoned only after
 * the lease and the deadline of its last start, plus the deadline once more for differences between clocks.
 */
export async function abandonOnceSettled(
  context: TriggerContext,
  firing: TakenFiring,
  reason: AbandonReason,
  now: number,
): Promise<Recovered> {
  const { startLeaseMilliseconds, startDeadlineMilliseconds } = context.limits;
  const lastAttemptAt = (firing.startAttemptedAt ?? firing.firstAttemptedAt)?.getTime() ?? Number.NEGATIVE_INFINITY;
  const settledAt = lastAttemptAt + startLeaseMilliseconds + 2 * startDeadlineMilliseconds;
  if (now < settledAt) {
    await postponeClaims(context.store, [firing], new Date(settledAt));
    return { action: 'wait' };
  }
  return { action: 'abandon', reason };
}
