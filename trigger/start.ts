import { nameOf } from '../core/firing';
import { requestIdOf } from '../core/identity';
import { readArgs } from '../store/due';
import {
  linkFirings,
  markStartAttempted,
  recordDeferral,
  type StartableFiring,
  type StartedFiring,
} from '../store/start';
import { concurrently } from './concurrently';
import { firingFields, later, type TriggerContext } from './context';
import { settleRejected, settleTaken } from './refused';
import { summaryOf } from './summary';
import { TemporalCallError, type WorkflowStart } from './temporal';

/** What became of the firings that a start pass took from the queue. */
export interface StartResult {
  linked: number;
  /** Temporal did not answer for these; the reconciler calls again. */
  deferred: number;
  /** Temporal refused these, or somebody else holds their workflow ID. */
  refused: number;
}

/** Start and link what waits in the queue, a batch of it. What was taken over by another trigger meanwhile is left alone. */
export async function start(context: TriggerContext): Promise<StartResult> {
  const keys = context.queue.take(context.limits.batchSize);
  if (keys.length === 0) return { linked: 0, deferred: 0, refused: 0 };
  const now = context.clock.now();
  const firings = await markStartAttempted(context.store, keys, {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, context.limits.checkAfterMilliseconds),
  });
  return startFirings(context, firings);
}

/** How one start call ended. */
type StartOutcome =
  | { kind: 'started'; started: StartedFiring; firing: StartableFiring }
  | { kind: 'away'; firing: StartableFiring; error: TemporalCallError }
  | { kind: 'refused' }
  | { kind: 'failed'; error: unknown };

async function startFirings(context: TriggerContext, firings: StartableFiring[]): Promise<StartResult> {
  await context.definitions.load(context.store, firings);
  const args = new Map((await readArgs(context.store, firings)).map((row) => [versionName(row), row.args]));
  // A namespace that does not answer is not asked again in this batch: each of its starts could take the whole deadline.
  const away = new Map<string, TemporalCallError>();
  const outcomes = await concurrently(firings, context.limits.startsInFlight, async (firing) => {
    const error = away.get(firing.namespace);
    if (error) return { kind: 'away' as const, firing, error };
    const outcome = await startOne(context, firing, args.get(versionName(firing)) ?? null);
    if (outcome.kind === 'away') away.set(firing.namespace, outcome.error);
    return outcome;
  });

  // What was started is linked before anything else may fail.
  const linked = await link(context, outcomes);
  const deferred = outcomes.filter((outcome) => outcome.kind === 'away');
  await defer(context, deferred);
  const failed = outcomes.find((outcome) => outcome.kind === 'failed');
  if (failed) throw failed.error;
  return {
    linked,
    deferred: deferred.length,
    refused: outcomes.filter((outcome) => outcome.kind === 'refused').length,
  };
}

async function startOne(context: TriggerContext, firing: StartableFiring, args: Buffer | null): Promise<StartOutcome> {
  try {
    const { runId } = await context.temporal.startWorkflow(workflowStart(context, firing, args));
    return { kind: 'started', started: { ...firing, runId }, firing };
  } catch (error) {
    return refuse(context, firing, error).catch((failure) => outcomeOf(firing, failure));
  }
}

async function refuse(context: TriggerContext, firing: StartableFiring, error: unknown): Promise<StartOutcome> {
  if (!(error instanceof TemporalCallError) || error.kind === 'away') return outcomeOf(firing, error);
  await (error.kind === 'taken' ? settleTaken(context, firing) : settleRejected(context, firing, error));
  return { kind: 'refused' };
}

function outcomeOf(firing: StartableFiring, error: unknown): StartOutcome {
  return error instanceof TemporalCallError ? { kind: 'away', firing, error } : { kind: 'failed', error };
}

function workflowStart(context: TriggerContext, firing: StartableFiring, args: Buffer | null): WorkflowStart {
  const { action, policies, spec } = context.definitions.get(firing);
  return {
    firing,
    action,
    policies,
    args,
    requestId: requestIdOf(context.installationId, firing, firing.epoch),
    summary: summaryOf(firing, spec.timezone),
    memo: {
      scheduleId: firing.scheduleId,
      scheduledTime: firing.scheduledTime.toISOString(),
      kind: firing.kind,
      startAttempt: firing.startAttempts + 1,
      epoch: firing.epoch,
      ...(firing.actor ? { actor: firing.actor } : {}),
      ...(firing.recovery ? { recovery: firing.recovery } : {}),
    },
  };
}

function versionName({ scheduleId, version }: { scheduleId: string; version: number }): string {
  return `${version} ${scheduleId}`;
}

/** Link in one statement what was started. A row that is no longer claimed was linked or closed by another trigger. */
async function link(context: TriggerContext, outcomes: StartOutcome[]): Promise<number> {
  const started = outcomes.filter((outcome) => outcome.kind === 'started');
  if (started.length === 0) return 0;
  const now = context.clock.now();
  const rows = await linkFirings(
    context.store,
    started.map((outcome) => outcome.started),
    { now: new Date(now), checkAt: later(now, context.limits.observeIntervalMilliseconds) },
  );
  const names = new Set(rows.map(nameOf));
  for (const {
    firing,
    started: { runId },
  } of started) {
    if (!names.has(nameOf(firing))) continue;
    const milliseconds = now - firing.claimedAt.getTime();
    const recovery = firing.recovery ? { recovery: firing.recovery } : {};
    context.logger.info('linked', { ...firingFields(firing), runId, milliseconds, ...recovery });
  }
  return rows.length;
}

/** Leave to the reconciler what Temporal did not answer for, and say so once a batch. */
async function defer(context: TriggerContext, away: Extract<StartOutcome, { kind: 'away' }>[]): Promise<void> {
  if (away.length === 0) return;
  const message = away[0]!.error.message;
  const checkAt = later(context.clock.now(), context.limits.reconcileIntervalMilliseconds);
  await recordDeferral(
    context.store,
    away.map((outcome) => outcome.firing),
    message,
    checkAt,
  );
  context.logger.warn('starts deferred: Temporal did not answer', { firings: away.length, error: message });
}
