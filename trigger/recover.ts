import { type AbandonReason, decideRecovery, type RecoveryDecision } from '../core/decisions/recovery';
import type { TakenFiring } from '../store/recover';
import { postponeClaim, recordDeferral } from '../store/start';
import { TemporalCallError } from '../temporal/port';
import { lookUpChain } from './chain';
import type { TriggerContext } from './context';
import { type CompiledDefinition, dueAtOf } from './definitions';
import { adopt } from './refused';

/** What becomes of a firing that was taken over. */
export type Recovered = Exclude<RecoveryDecision, { action: 'find' }> | { action: 'find' };

/** Decide what becomes of one firing that was taken over, asking Temporal where an earlier call may have landed. */
export async function recover(
  context: TriggerContext,
  firing: TakenFiring,
  definition: CompiledDefinition,
  now: number,
  retentions: Retentions,
): Promise<Recovered> {
  try {
    const decision = decideRecovery(
      {
        dueAt: dueAt(firing, definition),
        kind: firing.kind,
        rejectedAttempts: firing.startAttempts,
        firstAttemptedAt: firing.firstAttemptedAt?.getTime(),
        // What was handed over ahead is past the point of no return.
        schedule: firing.startsAt ? 'enabled' : firing.schedule,
        redriven: firing.redriven,
      },
      {
        now,
        catchupWindowMilliseconds: definition.policies.catchupWindow,
        onUncertain: definition.policies.onUncertain,
        deduplicatedForMilliseconds: await deduplicatedFor(context, firing, retentions),
        rejectedAttemptsAtMost: context.limits.rejectedStartAttempts,
      },
    );
    return decision.action === 'find' ? await findOrAbandon(context, firing, decision.reason, now) : decision;
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    // A server that is only busy answers starts all the same.
    const failedAt = context.clock.now();
    const until =
      error.kind === 'busy'
        ? failedAt + context.limits.reconcileIntervalMilliseconds
        : context.breakers.fail(firing.namespace, failedAt).until;
    await recordDeferral(context.store, [firing], error.message, new Date(until));
    return { action: 'wait' };
  }
}

/** One that was on time and has waited for its turn was not late for that, and has come since. */
function dueAt({ kind, scheduledTime, claimedAt }: TakenFiring, definition: CompiledDefinition): number {
  const due = dueAtOf(definition, scheduledTime).getTime();
  return kind === 'schedule' ? Math.max(due, claimedAt.getTime()) : due;
}

/** Retention by namespace, asked for once a pass. */
export type Retentions = Map<string, Promise<number | undefined>>;

/** Temporal forgets a request with the workflow: after the namespace's retention, with a margin for its clock. */
async function deduplicatedFor(context: TriggerContext, firing: TakenFiring, retentions: Retentions) {
  if (!firing.firstAttemptedAt) return undefined;
  const { namespace } = firing;
  if (!retentions.has(namespace)) retentions.set(namespace, context.temporal.retention(namespace));
  const retention = await retentions.get(namespace);
  if (retention === undefined) return Number.POSITIVE_INFINITY;
  // A short retention keeps a share of itself clear, or nothing would be left of it.
  return retention - Math.min(context.limits.retentionMarginMilliseconds, retention / 10);
}

/** Link the chain that an earlier call may have started; abandon only where none can still appear. */
async function findOrAbandon(
  context: TriggerContext,
  firing: TakenFiring,
  reason: AbandonReason,
  now: number,
): Promise<Recovered> {
  const chain = await lookUpChain(context, { ...firing, runId: null });
  if (chain.state !== 'missing') {
    await adopt(context, firing, chain.state === 'running' ? chain.runId : chain.closed.runId!);
    return { action: 'find' };
  }
  // A call that is still to be sent, or on its way, could land after this look: no end before its lease and its deadline
  // have passed, and the deadline once more for what clocks disagree.
  const { startLeaseMilliseconds, startDeadlineMilliseconds } = context.limits;
  const lastAttemptAt = (firing.startAttemptedAt ?? firing.firstAttemptedAt)!.getTime();
  const settledAt = lastAttemptAt + startLeaseMilliseconds + 2 * startDeadlineMilliseconds;
  if (now < settledAt) {
    await postponeClaim(context.store, firing, new Date(settledAt));
    return { action: 'wait' };
  }
  return { action: 'abandon', reason };
}
