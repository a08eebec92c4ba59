import { nameOf } from '../core/firing';
import { requestIdOf } from '../core/identity';
import { readArgs } from '../store/due';
import {
  linkFirings,
  markStartAttempted,
  recallDeferred,
  recordDeferral,
  type StartableFiring,
  type StartedFiring,
  unmarkStartAttempted,
} from '../store/start';
import { concurrently } from './concurrently';
import { firingFields, later, type TriggerContext } from './context';
import { type Definitions, versionName } from './definitions';
import { Lease } from './lease';
import type { QueuedClaim } from './queue';
import { reportUnlinked, settleRejected, settleTaken } from './refused';
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

/** How one start call ended. `unsent` was never called: too late for this batch, or the trigger is stopping. */
type StartOutcome =
  | { kind: 'started'; firing: StartableFiring; started: StartedFiring }
  | { kind: 'away'; firing: StartableFiring; error: TemporalCallError; sent: boolean }
  | { kind: 'refused'; firing: StartableFiring }
  | { kind: 'failed'; firing: StartableFiring; error: unknown }
  | { kind: 'unsent'; firing: StartableFiring };

/** Start and link what waits in the queue, a batch of it. What was taken over by another trigger meanwhile is left alone. */
export async function start(context: TriggerContext): Promise<StartResult> {
  const waiting = context.queue.take(context.limits.batchSize);
  const { claims, deferred } = await leaveAlone(context, waiting);
  if (claims.length === 0) return { linked: 0, deferred, refused: 0 };

  const now = context.clock.now();
  const mark = { owner: context.id, now: new Date(now), checkAt: later(now, context.limits.checkAfterMilliseconds) };
  // From before the mark: whoever takes a firing over counts the lease from the instant in its row.
  const lease = new Lease(context.limits.startLeaseMilliseconds);
  let firings: StartableFiring[];
  try {
    firings = await markStartAttempted(context.store, claims, mark);
  } catch (error) {
    context.queue.add(claims);
    throw error;
  }
  const outcomes = await callStarts(context, firings, lease);

  // What was started is linked before anything else may fail.
  const linked = await link(
    context,
    outcomes.filter((outcome) => outcome.kind === 'started'),
  );
  const away = outcomes.filter((outcome) => outcome.kind === 'away');
  const unsent = outcomes.filter((outcome) => outcome.kind === 'unsent').map((outcome) => outcome.firing);
  const unasked = away.filter((outcome) => !outcome.sent).map((outcome) => outcome.firing);
  await unmarkStartAttempted(context.store, [...unsent, ...unasked], mark.now);
  await defer(context, away);
  context.queue.add(unsent);

  const failed = outcomes.find((outcome) => outcome.kind === 'failed');
  if (failed) throw failed.error;
  return {
    linked,
    deferred: deferred + away.length,
    refused: outcomes.filter((outcome) => outcome.kind === 'refused').length,
  };
}

/** Put off the claims of namespaces that do not answer, without announcing a start that would not be called. */
async function leaveAlone(context: TriggerContext, waiting: QueuedClaim[]) {
  const now = context.clock.now();
  const claims = waiting.filter((claim) => context.breakers.openUntil(claim.namespace, now) === undefined);
  for (const [namespace, left] of groupByNamespace(waiting.filter((claim) => !claims.includes(claim)))) {
    const until = context.breakers.openUntil(namespace, now)!;
    await recordDeferral(context.store, left, 'waiting for Temporal to answer', new Date(until));
  }
  return { claims, deferred: waiting.length - claims.length };
}

/** Call start for each, and for none later than the lease of its mark. */
async function callStarts(context: TriggerContext, firings: StartableFiring[], lease: Lease): Promise<StartOutcome[]> {
  const definitions = await context.definitions.load(context.store, firings);
  const args = new Map((await readArgs(context.store, firings)).map((row) => [versionName(row), row.args]));
  // A namespace that does not answer is not asked again in this batch: each of its starts could take the whole deadline.
  const away = new Map<string, TemporalCallError>();
  const outcomes = await concurrently(
    firings,
    context.limits.startsInFlight,
    context.stopping,
    async (firing): Promise<StartOutcome> => {
      const error = away.get(firing.namespace);
      if (error) return { kind: 'away', firing, error, sent: false };
      if (lease.isOver()) return { kind: 'unsent', firing };
      const outcome = await callStart(context, firing, () =>
        workflowStart(context, definitions, firing, args.get(versionName(firing)) ?? null, lease),
      );
      if (outcome.kind === 'away') away.set(firing.namespace, outcome.error);
      else if (outcome.kind === 'started') await answers(context, firing.namespace);
      return outcome;
    },
  );
  return outcomes.map((outcome, index) => outcome ?? { kind: 'unsent', firing: firings[index]! });
}

async function callStart(
  context: TriggerContext,
  firing: StartableFiring,
  build: () => WorkflowStart,
): Promise<StartOutcome> {
  try {
    const { runId } = await context.temporal.startWorkflow(build());
    return { kind: 'started', firing, started: { ...firing, runId } };
  } catch (error) {
    return refuse(context, firing, error).catch((failure) => outcomeOf(firing, failure));
  }
}

async function refuse(context: TriggerContext, firing: StartableFiring, error: unknown): Promise<StartOutcome> {
  if (!(error instanceof TemporalCallError) || error.kind === 'away') return outcomeOf(firing, error);
  await (error.kind === 'taken' ? settleTaken(context, firing) : settleRejected(context, firing, error));
  return { kind: 'refused', firing };
}

function outcomeOf(firing: StartableFiring, error: unknown): StartOutcome {
  return error instanceof TemporalCallError
    ? { kind: 'away', firing, error, sent: true }
    : { kind: 'failed', firing, error };
}

function workflowStart(
  context: TriggerContext,
  definitions: Definitions,
  firing: StartableFiring,
  args: Buffer | null,
  lease: Lease,
): WorkflowStart {
  const { action, policies, spec } = definitions(firing);
  return {
    firing,
    action,
    policies,
    args,
    requestId: requestIdOf(context.installationId, firing, firing.epoch),
    summary: summaryOf(firing, spec.timezone),
    memo: {
      installation: context.installationId,
      scheduleId: firing.scheduleId,
      scheduledTime: firing.scheduledTime.toISOString(),
      kind: firing.kind,
      startAttempt: firing.startAttempts + 1,
      epoch: firing.epoch,
      ...(firing.actor ? { actor: firing.actor } : {}),
      ...(firing.recovery ? { recovery: firing.recovery } : {}),
    },
    lease,
  };
}

/** Link in one statement what was started. A row that is no longer claimed was linked or closed by another trigger. */
async function link(context: TriggerContext, outcomes: Extract<StartOutcome, { kind: 'started' }>[]): Promise<number> {
  if (outcomes.length === 0) return 0;
  const now = context.clock.now();
  const rows = await linkFirings(
    context.store,
    outcomes.map((outcome) => outcome.started),
    { now: new Date(now), checkAt: later(now, context.limits.observeIntervalMilliseconds) },
  );
  const linked = new Set(rows.map(nameOf));
  for (const { firing, started } of outcomes) {
    if (!linked.has(nameOf(firing))) {
      await reportUnlinked(context, started);
      continue;
    }
    const milliseconds = now - firing.claimedAt.getTime();
    const recovery = firing.recovery ? { recovery: firing.recovery } : {};
    context.logger.info('linked', { ...firingFields(firing), runId: started.runId, milliseconds, ...recovery });
  }
  return rows.length;
}

/** Leave to the reconciler what Temporal did not answer for, until the namespace is tried again. */
async function defer(context: TriggerContext, away: Extract<StartOutcome, { kind: 'away' }>[]): Promise<void> {
  const now = context.clock.now();
  const errors = new Map(away.map(({ firing, error }) => [firing.namespace, error.message]));
  for (const [namespace, firings] of groupByNamespace(away.map((outcome) => outcome.firing))) {
    const error = errors.get(namespace)!;
    const { until, opened } = context.breakers.fail(namespace, now);
    await recordDeferral(context.store, firings, error, new Date(until));
    if (opened) context.logger.warn('starts deferred: Temporal does not answer', { namespace, error });
  }
}

/** A namespace answers: what waits for it need not wait any longer. */
async function answers(context: TriggerContext, namespace: string): Promise<void> {
  if (!context.breakers.succeed(namespace)) return;
  const firings = await recallDeferred(context.store, namespace, new Date(context.clock.now()));
  context.logger.info('Temporal answers again', { namespace, firings });
}

function groupByNamespace<Claim extends QueuedClaim>(claims: Claim[]): Map<string, Claim[]> {
  const groups = new Map<string, Claim[]>();
  for (const claim of claims) groups.set(claim.namespace, [...(groups.get(claim.namespace) ?? []), claim]);
  return groups;
}
