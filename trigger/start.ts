import { nameOf } from '../core/firing';
import {
  linkFirings,
  markStartAttempted,
  recallDeferred,
  recordDeferral,
  type StartableFiring,
  unmarkStartAttempted,
} from '../store/start';
import { Lease } from '../temporal/lease';
import { Admission } from './admission';
import { isHeld } from './adoption';
import { callStarts, type StartOutcome } from './call-start';
import { DatabaseClock } from './clock';
import { isDone } from './concurrently';
import { firingFields, later, type TriggerContext } from './context';
import { groupBy } from './group';
import type { QueuedClaim } from './queue';
import { reportUnlinked } from './refused';

/**
 * Less than the hour that is Temporal's least retention unless an operator lowers it: taken where the namespace's own was not
 * asked for.
 */
const REMEMBERED_AT_LEAST_MILLISECONDS = 54 * 60_000;

/** What became of the firings that a start pass took from the queue. */
export interface StartResult {
  /** Firings that were taken from the queue. */
  taken: number;
  /** Firings whose start was recorded. */
  linked: number;
  /** Temporal did not answer for these; the reconciler calls again. */
  deferred: number;
  /** Temporal refused these, or somebody else holds their workflow ID. */
  refused: number;
}

/**
 * Start and link what waits in the queue, a batch of it. What was taken over by another trigger meanwhile is left alone.
 *
 * @param namespace whose alone are taken, so that none of them waits for the answers of another's server
 */
export async function start(context: TriggerContext, namespace?: string): Promise<StartResult> {
  const { batchSize, startBatchSize } = context.limits;
  if (isHeld(context.adoption, namespace)) return { taken: 0, linked: 0, deferred: 0, refused: 0 };
  const now = context.clock.now();
  const admission = new Admission(context, now);
  try {
    const mayGo = (claim: QueuedClaim) => !isHeld(context.adoption, claim.namespace) && admission.admits(claim);
    const waiting = context.queue.take(Math.min(batchSize, startBatchSize), now, { namespace, mayGo });
    return await startBatch(context, waiting, now);
  } finally {
    admission.end();
  }
}

async function startBatch(context: TriggerContext, waiting: QueuedClaim[], takenAt: number): Promise<StartResult> {
  const taken = waiting.length;
  const claims = await leaveAlone(context, waiting, takenAt).catch((error) => {
    context.queue.add(waiting, takenAt);
    throw error;
  });
  const deferred = taken - claims.length;
  if (claims.length === 0) return { taken, linked: 0, deferred, refused: 0 };

  const now = context.clock.now();
  const mark = { owner: context.id, now: new Date(now), checkAt: later(now, context.limits.checkAfterMilliseconds) };
  // From before the mark: whoever takes a firing over counts the lease from the instant in its row.
  const lease = new Lease(context.limits.startLeaseMilliseconds);
  let outcomes: StartOutcome[];
  try {
    const at = context.clock instanceof DatabaseClock ? undefined : mark.now;
    const marked = await markStartAttempted(context.store, claims, { ...mark, at });
    outcomes = await callStarts(context, inOrderOf(claims, marked), lease);
  } catch (error) {
    // Those whose mark may be there are remembered: nobody has called them since.
    context.queue.add(claims.map(asCalled), now);
    throw error;
  }

  // What was started is linked before anything else may fail.
  const linked = await link(
    context,
    outcomes.filter((outcome) => outcome.kind === 'started'),
  );
  const away = outcomes.filter((outcome) => outcome.kind === 'away');
  const unsent = firingsOf(outcomes, 'unsent');
  const unasked = away.filter((outcome) => !outcome.sent).map((outcome) => outcome.firing);
  await unmarkStartAttempted(context.store, [...unsent, ...unasked], mark.now);
  await defer(context, away);
  reportBusy(
    context,
    outcomes.filter((outcome) => outcome.kind === 'busy'),
  );
  const isUnsent = among(unsent);
  context.queue.add(claims.filter(isUnsent), now);
  // What the server was too busy for may have landed all the same: its mark stays.
  const isBusy = among(firingsOf(outcomes, 'busy'));
  context.queue.add(claims.filter(isBusy).map(asCalled), now);
  await noteAnswers(context, outcomes);

  const failed = outcomes.find((outcome) => outcome.kind === 'failed');
  if (failed) throw failed.error;
  return {
    taken,
    linked,
    deferred: deferred + away.length,
    refused: outcomes.filter((outcome) => outcome.kind === 'refused').length,
  };
}

/** Say once that a namespace's server refuses for having too much to do, until it answers again. */
function reportBusy(context: TriggerContext, busy: Extract<StartOutcome, { kind: 'busy' }>[]): void {
  for (const [namespace, outcomes] of groupBy(busy, (outcome) => outcome.firing.namespace)) {
    if (!context.gates.of(namespace).tellsOfBusy()) continue;
    context.logger.warn('starts held back: Temporal is too busy', { namespace, error: outcomes[0]!.error.message });
  }
}

function firingsOf(outcomes: StartOutcome[], kind: StartOutcome['kind']): StartableFiring[] {
  return outcomes.filter((outcome) => outcome.kind === kind).map((outcome) => outcome.firing);
}

function among(firings: StartableFiring[]): (claim: QueuedClaim) => boolean {
  const names = new Set(firings.map(nameOf));
  return (claim) => names.has(nameOf(claim));
}

/** A claim that may have been called now, by what is remembered in every namespace unless its own was asked. */
function asCalled(claim: QueuedClaim): QueuedClaim {
  return { ...claim, rememberedFor: claim.rememberedFor ?? REMEMBERED_AT_LEAST_MILLISECONDS };
}

/** Postgres returns what it marked in any order; calls are made in that of the queue. */
function inOrderOf(claims: QueuedClaim[], marked: StartableFiring[]): StartableFiring[] {
  const byName = new Map(marked.map((firing) => [nameOf(firing), firing]));
  return claims.map((claim) => byName.get(nameOf(claim))).filter(isDone);
}

/** Put off the claims of namespaces that do not answer, without announcing a start that would not be called. */
async function leaveAlone(context: TriggerContext, waiting: QueuedClaim[], now: number) {
  const untilOf = ({ namespace }: QueuedClaim) => context.breakers.openUntil(namespace, now);
  const claims = waiting.filter((claim) => untilOf(claim) === undefined);
  // Decided once: what was let in to be put off has asked no cap, and is not started though its namespace answers meanwhile.
  const away = [...groupBy(waiting, ({ namespace }) => namespace).values()].flatMap((ofNamespace) => {
    const until = untilOf(ofNamespace[0]!);
    return until === undefined ? [] : [{ ofNamespace, until }];
  });
  for (const { ofNamespace, until } of away) {
    await recordDeferral(context.store, ofNamespace, 'waiting for Temporal to answer', new Date(until));
  }
  return claims;
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
  for (const [namespace, outcomes] of groupBy(away, (outcome) => outcome.firing.namespace)) {
    const error = outcomes.at(-1)!.error.message;
    const { until, opened } = context.breakers.fail(namespace, now);
    const firings = outcomes.map((outcome) => outcome.firing);
    await recordDeferral(context.store, firings, error, new Date(until));
    if (opened) context.logger.warn('starts deferred: Temporal does not answer', { namespace, error });
  }
}

/** What waits for a namespace that answers again need not wait any longer. */
async function noteAnswers(context: TriggerContext, outcomes: StartOutcome[]): Promise<void> {
  const answered = outcomes.filter((outcome) => outcome.kind === 'started' || outcome.kind === 'refused');
  for (const namespace of new Set(answered.map((outcome) => outcome.firing.namespace))) {
    if (!context.breakers.succeed(namespace)) continue;
    const firings = await recallDeferred(context.store, namespace, new Date(context.clock.now()));
    context.logger.info('Temporal answers again', { namespace, firings });
  }
}
