import { decideRecovery } from '../core/decisions/recovery';
import { type TakenFiring, takeOverLost } from '../store/recover';
import { postponeClaim, recordDeferral } from '../store/start';
import { lookUpChain } from './chain';
import { concurrently } from './concurrently';
import { later, type TriggerContext } from './context';
import type { CompiledDefinition } from './definitions';
import { adopt, giveUp } from './refused';
import { TemporalCallError } from './temporal';

/** What one reconcile pass did. */
export interface ReconcileResult {
  /** Triggers that stopped beating. */
  deadTriggers: string[];
  /** Claims taken over, of dead triggers or overdue. */
  taken: number;
  /** Of these, handed to the start pass again. */
  restarted: number;
  /** Firings that were given up. */
  abandoned: number;
  /** Whether any chain is open. */
  anythingOpen: boolean;
  /** Whether a running chain is to be ended now. */
  anythingToInterrupt: boolean;
  /** Whether a redrive is to be carried out now. */
  anythingToRedrive: boolean;
}

/**
 * Find claims that were never linked, and start or abandon each. Starting again is harmless: the request ID makes
 * Temporal return the run that the first call started.
 */
export async function reconcile(context: TriggerContext): Promise<ReconcileResult> {
  const now = context.clock.now();
  const { taken, deadTriggers, ...found } = await takeOverLost(context.store, {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, context.limits.checkAfterMilliseconds),
    staleBefore: later(now, -context.limits.staleAfterMilliseconds),
    limit: context.limits.batchSize,
  });
  for (const triggerId of deadTriggers) context.logger.warn('trigger lost: taking over its claims', { triggerId });

  const definitions = await context.definitions.load(context.store, taken);
  const retentions: Retentions = new Map();
  const ends = await concurrently(taken, context.limits.startsInFlight, context.stopping, (firing) =>
    recover(context, firing, definitions(firing), now, retentions),
  );
  // In the order of the page, oldest first, whatever each of them had to wait for.
  context.queue.add(
    taken
      .filter((_, index) => ends[index] === 'start')
      .map((firing) => ({ ...firing, taskQueue: definitions(firing).action.taskQueue })),
    now,
  );
  return {
    deadTriggers,
    taken: taken.length,
    restarted: ends.filter((end) => end === 'start').length,
    abandoned: ends.filter((end) => end === 'abandon').length,
    ...found,
  };
}

async function recover(
  context: TriggerContext,
  firing: TakenFiring,
  { policies, compiled }: CompiledDefinition,
  now: number,
  retentions: Retentions,
) {
  try {
    const nominal = firing.scheduledTime.getTime();
    const decision = decideRecovery(
      {
        dueAt: compiled instanceof Error ? nominal : compiled.startTime(nominal),
        kind: firing.kind,
        rejectedAttempts: firing.startAttempts,
        firstAttemptedAt: firing.firstAttemptedAt?.getTime(),
        // What was handed over ahead is past the point of no return.
        schedule: firing.startsAt ? 'enabled' : firing.schedule,
        redriven: firing.redriven,
      },
      {
        now,
        catchupWindowMilliseconds: policies.catchupWindow,
        onUncertain: policies.onUncertain,
        deduplicatedForMilliseconds: await deduplicatedFor(context, firing, retentions),
        rejectedAttemptsAtMost: context.limits.rejectedStartAttempts,
      },
    );
    if (decision.action === 'abandon') await giveUp(context, firing, { state: 'abandoned', reason: decision.reason });
    if (decision.action === 'find') return await findOrAbandon(context, firing, decision.reason, now);
    return decision.action;
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    // A server that is only busy answers starts all the same.
    const until =
      error.kind === 'busy'
        ? now + context.limits.reconcileIntervalMilliseconds
        : context.breakers.fail(firing.namespace, now).until;
    await recordDeferral(context.store, [firing], error.message, new Date(until));
    return 'wait';
  }
}

/** Retention by namespace, asked for once a pass. */
type Retentions = Map<string, Promise<number | undefined>>;

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
async function findOrAbandon(context: TriggerContext, firing: TakenFiring, reason: string, now: number) {
  const chain = await lookUpChain(context, { ...firing, runId: null });
  if (chain.state !== 'missing') {
    await adopt(context, firing, chain.state === 'running' ? chain.runId : chain.closed.runId!);
    return 'find';
  }
  // A call that is still to be sent, or on its way, could land after this look: no end before its lease and its deadline
  // have passed, and the deadline once more for what clocks disagree.
  const { startLeaseMilliseconds, startDeadlineMilliseconds } = context.limits;
  const lastAttemptAt = (firing.startAttemptedAt ?? firing.firstAttemptedAt)!.getTime();
  const settledAt = lastAttemptAt + startLeaseMilliseconds + 2 * startDeadlineMilliseconds;
  if (now < settledAt) {
    await postponeClaim(context.store, firing, new Date(settledAt));
    return 'wait';
  }
  await giveUp(context, firing, { state: 'abandoned', reason });
  return 'abandon';
}
