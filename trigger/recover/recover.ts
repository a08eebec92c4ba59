import { type AbandonReason, decideRecovery, type RecoveryDecision } from '../../core/decisions/recovery';
import type { TakenFiring } from '../../store/firings/recover';
import { postponeClaims, recordDeferral } from '../../store/firings/start';
import { isRefused } from '../../temporal/errors';
import { TemporalCallError } from '../../temporal/port';
import { later, type TriggerContext } from '../context';
import { type CompiledDefinition, dueAtOf } from '../definitions';
import { lookUpChain } from '../observe/chain';
import { adopt } from './refused';

/** What becomes of a firing that was taken over. */
export type Recovered = Exclude<RecoveryDecision, { action: 'find' }> | { action: 'find' };

/** Decide what becomes of one firing that was taken over, asking Temporal where an earlier call may have landed. */
export async function recover(
  context: TriggerContext,
  firing: TakenFiring,
  definition: CompiledDefinition,
  now: number,
  retention: Retention,
): Promise<Recovered> {
  const refusedForMilliseconds = refusedFor(context, firing, now);
  const { limits } = context;
  try {
    const decision = decideRecovery(
      {
        dueAt: dueAt(firing, definition),
        kind: firing.kind,
        rejectedAttempts: firing.startAttempts,
        refusedForMilliseconds,
        firstAttemptedAt: firing.firstAttemptedAt?.getTime(),
        // What was handed over ahead is past the point of no return.
        schedule: firing.startsAt ? 'enabled' : firing.schedule,
        redriven: firing.redriven,
      },
      {
        now,
        catchupWindowMilliseconds: definition.policies.catchupWindow,
        onUncertain: definition.policies.onUncertain,
        deduplicatedForMilliseconds: firing.firstAttemptedAt ? await retention() : undefined,
        rejectedAttemptsAtMost: limits.rejectedStartAttempts,
        refusedAtMostMilliseconds: limits.refusedAtMostMilliseconds,
      },
    );
    if (decision.action === 'find') return await findOrAbandon(context, firing, decision.reason, now);
    const { error } = context.temporal.of(firing.namespace);
    if (decision.action === 'start' && error) return await postpone(context, firing, error);
    return decision;
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    // Nobody may look up whether an earlier call has landed: its letter says so, or nobody would ever be told.
    if (isRefused(error) && refusedForMilliseconds >= limits.refusedAtMostMilliseconds) {
      return abandonOnceSettled(context, firing, 'start_refused', now);
    }
    return postpone(context, firing, error);
  }
}

/** Until it can be tried again. */
async function postpone(context: TriggerContext, firing: TakenFiring, error: TemporalCallError): Promise<Recovered> {
  const soon = later(context.clock.now(), context.limits.reconcileIntervalMilliseconds);
  await recordDeferral(context.store, [firing], error.message, soon);
  return { action: 'wait' };
}

/** For how long its start was refused, or not answered while others were; or all that its namespace was asked. */
function refusedFor({ temporal }: TriggerContext, firing: TakenFiring, now: number): number {
  const { refusedSince: ofNamespace = Number.POSITIVE_INFINITY } = temporal.of(firing.namespace);
  const own = firing.refusedSince?.getTime() ?? Number.POSITIVE_INFINITY;
  return Math.max(0, now - own, now - Math.max(ofNamespace, firing.claimedAt.getTime()));
}

/** One that was on time and has waited for its turn was not late for that, and has come since. */
function dueAt({ kind, scheduledTime, claimedAt, readyAt }: TakenFiring, definition: CompiledDefinition): number {
  const due = (readyAt ?? dueAtOf(definition, scheduledTime)).getTime();
  return kind === 'schedule' ? Math.max(due, claimedAt.getTime()) : due;
}

/**
 * Less than the hour that is Temporal's least retention unless an operator lowers it: taken where the namespace's own is not
 * known.
 */
export const REMEMBERED_AT_LEAST_MILLISECONDS = 54 * 60_000;

/** How long a namespace deduplicates a start, milliseconds. */
export type Retention = () => Promise<number>;

/** Temporal forgets a request with the workflow: after the namespace's retention, with a margin for its clock. Asked for once. */
export function deduplicationOf({ temporal, limits }: TriggerContext, namespace: string): Retention {
  let asked: Promise<number> | undefined;
  const ask = async () => {
    try {
      const retention = (await temporal.of(namespace).retention()) ?? Number.POSITIVE_INFINITY;
      // A short retention keeps a share of itself clear, or nothing would be left of it.
      return retention - Math.min(limits.retentionMarginMilliseconds, retention / 10);
    } catch (error) {
      // A role may be allowed to start workflows and not to describe their namespace.
      if (isRefused(error) && !(error as TemporalCallError).ofNamespace) return REMEMBERED_AT_LEAST_MILLISECONDS;
      throw error;
    }
  };
  return () => {
    asked ??= ask();
    return asked;
  };
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
  return abandonOnceSettled(context, firing, reason, now);
}

/**
 * A call that is still to be sent, or on its way, could land after the lookup. So there is no end before its lease and
 * its deadline have passed, and the deadline once more for what clocks disagree.
 */
async function abandonOnceSettled(
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
