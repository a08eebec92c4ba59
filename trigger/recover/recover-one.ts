import { decideRecovery } from '../../core/decisions/recovery';
import { recordDeferral } from '../../store/firings/start';
import type { TakenFiring } from '../../store/firings/take-over-lost';
import { LONG_OUTAGE_MILLISECONDS } from '../../temporal/breaker';
import { isRefused } from '../../temporal/errors';
import { TemporalCallError } from '../../temporal/port';
import { later, type TriggerContext } from '../context';
import { type CompiledDefinition, dueAtOf } from '../definitions';
import { isDeleted, refusedToAllSince } from '../refused-namespaces';
import { abandonOnceSettled, findOrAbandon, type Recovered } from './find-or-abandon';

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
        // No pause or deletion stops a lost firing that was claimed ahead.
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
    // If Temporal has refused for too long, the firing is abandoned although nobody could look its workflow up: an
    // earlier start call may have started it. While a whole namespace refuses every call, the firing is abandoned only
    // if the namespace counts as deleted.
    const isRefusedTooLong = isRefused(error) && refusedForMilliseconds >= limits.refusedAtMostMilliseconds;
    if (isRefusedTooLong || isDeleted(context, firing.namespace)) {
      return abandonOnceSettled(context, firing, 'start_uncertain', now);
    }
    return postpone(context, firing, error);
  }
}

async function postpone(context: TriggerContext, firing: TakenFiring, error: TemporalCallError): Promise<Recovered> {
  const soon = later(context.clock.now(), context.limits.reconcileIntervalMilliseconds);
  const { awaySince = Number.POSITIVE_INFINITY } = context.temporal.of(firing.namespace);
  const afterOutage = context.clock.now() - awaySince >= LONG_OUTAGE_MILLISECONDS;
  await recordDeferral(context.store, [firing], error.message, { checkAt: soon, afterOutage });
  return { action: 'wait' };
}

/**
 * The longer of two durations, in milliseconds. One is how long the firing's start has failed while its namespace
 * answered other calls; failures from before a long outage do not count. The other is how long, since the claim, the
 * namespace has refused every call of every trigger.
 */
function refusedFor(context: TriggerContext, firing: TakenFiring, now: number): number {
  const ofAll = refusedToAllSince(context, firing.namespace, now) ?? Number.POSITIVE_INFINITY;
  const { backSince = 0 } = context.temporal.of(firing.namespace);
  const own = Math.max(firing.refusedSince?.getTime() ?? Number.POSITIVE_INFINITY, backSince);
  return Math.max(0, now - own, now - Math.max(ofAll, firing.claimedAt.getTime()));
}

/**
 * The time from which a firing's lateness counts: when it became ready or, for a firing that was claimed on time, its
 * claim if that was later. The time for which a firing was buffered does not count.
 */
function dueAt(firing: TakenFiring, definition: CompiledDefinition): number {
  const { kind, claimedAt, readyAt } = firing;
  const due = (readyAt ?? dueAtOf(definition, firing)).getTime();
  return kind === 'schedule' ? Math.max(due, claimedAt.getTime()) : due;
}

/**
 * For how long a namespace is assumed to deduplicate starts if the trigger may not read its retention. By Temporal's
 * default limit a retention is at least an hour, so the assumed value is a little less.
 */
const REMEMBERED_AT_LEAST_MILLISECONDS = 54 * 60_000;

/** Returns for how long, in milliseconds, a namespace is assumed to deduplicate a start. */
export type Retention = () => Promise<number>;

/**
 * Temporal forgets a request ID together with its workflow, after the namespace's retention. A margin for differences
 * between clocks is subtracted from the retention.
 */
export function deduplicationOf({ temporal, limits }: TriggerContext, namespace: string): Retention {
  let asked: Promise<number> | undefined;
  const ask = async () => {
    try {
      const retention = (await temporal.of(namespace).retention()) ?? Number.POSITIVE_INFINITY;
      // If the retention is short, the margin is only a share of it, since otherwise no time would be left.
      return retention - Math.min(limits.retentionMarginMilliseconds, retention / 10);
    } catch (error) {
      // A role may have the right to start workflows, but not the right to describe their namespace.
      if (isRefused(error) && !(error as TemporalCallError).ofNamespace) return REMEMBERED_AT_LEAST_MILLISECONDS;
      throw error;
    }
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}
