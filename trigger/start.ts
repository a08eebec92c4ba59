import { type FiringKey, nameOf } from '../core/firing';
import { isOfRow } from '../store/postgres-errors';
import {
  linkFirings,
  markStartAttempted,
  recordDeferral,
  recordFailing,
  type StartableFiring,
  type StartedFiring,
  unmarkStartAttempted,
} from '../store/start';
import { Lease } from '../temporal/lease';
import { Admission } from './admission';
import { isHeld } from './adoption';
import { byHalves } from './by-halves';
import { callStarts, type StartOutcome } from './call-start';
import { DatabaseClock } from './clock';
import { isDone } from './concurrently';
import { firingFields, later, type TriggerContext } from './context';
import { groupBy } from './group';
import { isKept, leaveToAdoption } from './kept';
import type { QueuedClaim } from './queued-claim';
import { recallWhatWaits } from './recall';
import { REMEMBERED_AT_LEAST_MILLISECONDS } from './recover';
import { reportUnlinked } from './refused';

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
  const { queue, limits, clock, adoption } = context;
  if (isHeld(adoption, namespace)) return { taken: 0, linked: 0, deferred: 0, refused: 0 };
  const asked = namespace === undefined ? [...queue.namespaces()] : [namespace];
  // Decided once: what was taken to be put off has asked no cap, and is not started though its namespace answers meanwhile.
  const away = await namesOfAway(context, asked);
  const now = clock.now();
  const admission = new Admission(context, away);
  // Of a schedule that is held by itself they are taken, to be put off: in the queue they would hold up those behind them.
  const mayGo = (claim: QueuedClaim) =>
    !isHeld(adoption, claim.namespace) && (isKept(context, claim) || admission.admits(claim));
  const waiting = queue.take(Math.min(limits.batchSize, limits.startBatchSize), now, { namespace, mayGo });
  return startBatch(context, waiting, away, now);
}

/** Those of them that do not answer. One whose pause is over is asked. */
async function namesOfAway({ temporal }: TriggerContext, namespaces: string[]): Promise<Set<string>> {
  const ready = await Promise.all(namespaces.map((name) => temporal.of(name).isReady()));
  return new Set(namespaces.filter((_, index) => !ready[index]));
}

async function startBatch(
  context: TriggerContext,
  waiting: QueuedClaim[],
  away: ReadonlySet<string>,
  takenAt: number,
): Promise<StartResult> {
  const taken = waiting.length;
  const unasked = waiting.filter(({ namespace }) => away.has(namespace));
  const kept = waiting.filter((claim) => !away.has(claim.namespace) && isKept(context, claim));
  const left = new Set([...unasked, ...kept]);
  const claims = waiting.filter((claim) => !left.has(claim));
  try {
    await leaveAlone(context, unasked);
    await leaveToAdoption(context, kept);
    await recallWhatWaits(context);
  } catch (error) {
    context.queue.add(waiting, takenAt);
    throw error;
  }
  const deferred = taken - claims.length;
  if (claims.length === 0) return { taken, linked: 0, deferred, refused: 0 };

  const now = context.clock.now();
  const mark = { owner: context.id, now: new Date(now), checkAt: later(now, context.limits.checkAfterMilliseconds) };
  // From before the mark: whoever takes a firing over counts the lease from the instant in its row.
  const lease = new Lease(context.limits.startLeaseMilliseconds);
  let outcomes: StartOutcome[];
  try {
    const at = context.clock instanceof DatabaseClock ? undefined : mark.now;
    const marked = await byHalves(context, 'the announcement of a start', claims, (part) =>
      markStartAttempted(context.store, part, { ...mark, at }),
    );
    outcomes = await callStarts(context, inOrderOf(claims, marked.flat()), lease);
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
  const unheard = outcomes.flatMap((one) => (one.kind === 'away' || one.kind === 'failing' ? [one] : []));
  const unsent = firingsOf(outcomes, 'unsent');
  const uncalled = unheard.filter((outcome) => !outcome.sent).map((outcome) => outcome.firing);
  await unmarkStartAttempted(context.store, [...unsent, ...uncalled], mark.now);
  await leaveAlone(context, firingsOf(outcomes, 'away'));
  await noteFailing(
    context,
    unheard.filter((outcome) => outcome.kind === 'failing'),
  );
  reportBusy(
    context,
    outcomes.filter((outcome) => outcome.kind === 'busy'),
  );
  const isUnsent = among(unsent);
  context.queue.add(claims.filter(isUnsent), now);
  // What the server was too busy for may have landed all the same: its mark stays.
  const isBusy = among(firingsOf(outcomes, 'busy'));
  context.queue.add(claims.filter(isBusy).map(asCalled), now);
  await recallWhatWaits(context);

  for (const { firing, error } of outcomes.filter((outcome) => outcome.kind === 'failed')) {
    if (!isOfRow(error)) throw error;
    context.aside.put('the record of a start', firing, error);
  }
  return {
    taken,
    linked,
    deferred: deferred + unheard.length,
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

/** Leave claims of namespaces that do not answer to the reconciler, until these are asked again. */
async function leaveAlone(context: TriggerContext, claims: (FiringKey & { namespace: string })[]): Promise<void> {
  for (const [name, ofNamespace] of groupBy(claims, ({ namespace }) => namespace)) {
    const { leftAloneUntil, error } = context.temporal.of(name);
    const until = leftAloneUntil ?? context.clock.now();
    await recordDeferral(
      context.store,
      ofNamespace,
      error?.message ?? 'waiting for Temporal to answer',
      new Date(until),
    );
  }
}

/** What fails though its namespace answers is called again at longer and longer pauses, and holds up no other. */
async function noteFailing(
  context: TriggerContext,
  failing: Extract<StartOutcome, { kind: 'away' | 'failing' }>[],
): Promise<void> {
  if (failing.length === 0) return;
  const now = new Date(context.clock.now());
  const definitions = await context.definitions.load(
    context.store,
    failing.map(({ firing }) => firing),
  );
  for (const { firing, error } of failing) {
    const since = (await recordFailing(context.store, firing, error.message, now)) ?? now;
    const { namespace } = firing;
    const { taskQueue } = definitions(firing).action;
    const seconds = Math.round((now.getTime() - since.getTime()) / 1_000);
    const level = seconds < 60 ? 'warn' : 'error';
    const fields = { ...firingFields(firing), namespace, taskQueue, error: error.message, seconds };
    context.logger[level]('start failed; trying again', fields);
  }
}

/** Link in one statement what was started. A row that is no longer claimed was linked or closed by another trigger. */
async function link(context: TriggerContext, outcomes: Extract<StartOutcome, { kind: 'started' }>[]): Promise<number> {
  if (outcomes.length === 0) return 0;
  const now = context.clock.now();
  const times = { now: new Date(now), checkAt: later(now, context.limits.observeIntervalMilliseconds) };
  const started = outcomes.map((outcome) => outcome.started);
  // One that is refused is looked at again, and started again, which finds the same run.
  const written: StartedFiring[] = [];
  const rows = (
    await byHalves(context, 'the record of a start', started, async (part) => {
      const linked = await linkFirings(context.store, part, times);
      written.push(...part);
      return linked;
    })
  ).flat();
  const tried = new Set(written);
  const linked = new Set(rows.map(nameOf));
  for (const { firing, started } of outcomes) {
    if (!tried.has(started)) continue;
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
