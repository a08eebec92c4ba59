import { nameOf } from '../../core/firing';
import { linkFirings, type StartedFiring } from '../../store/firings/link';
import {
  postponeClaims,
  recordDeferral,
  recordFailing,
  type StartableFiring,
  takeBackAnnouncements,
} from '../../store/firings/start';
import { isOfRow } from '../../store/postgres-errors';
import { byHalves } from '../by-halves';
import { firingFields, later, type TriggerContext } from '../context';
import { groupBy } from '../group';
import type { StartOutcome } from './call-starts';
import { reportLinked } from './report-linked';
import { reportUnlinked } from './report-unlinked';

/** The results of announced starts. */
export interface SettledStarts {
  /** Firings whose start was recorded. */
  linked: number;
  /** Firings whose start ended as `away`, `failing` or `busy`. */
  deferred: number;
  /** Firings whose start ended as `refused`: rejected, or the workflow ID was taken. */
  refused: number;
}

/** Run `call`, which throws only before it has called any announced start. If it throws, withdraw the announcements. */
export async function orTakeBack<Result>(
  { store }: TriggerContext,
  firings: StartableFiring[],
  announcedAt: Date,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    await takeBackAnnouncements(store, firings, { announcedAt, now: announcedAt });
    throw error;
  }
}

/** Record how the calls of one batch ended. Started firings are linked first, before anything else can fail. */
export async function settleOutcomes(
  context: TriggerContext,
  outcomes: StartOutcome[],
  announcedAt: Date,
): Promise<SettledStarts> {
  const started = ofKind(outcomes, 'started');
  const failed = ofKind(outcomes, 'failed');
  const linked = started.length === 0 ? 0 : await context.metrics.pass('link', () => link(context, started, failed));
  const now = new Date(context.clock.now());
  const unheard = [...ofKind(outcomes, 'away'), ...ofKind(outcomes, 'failing')];
  const uncalled = [...ofKind(outcomes, 'unsent'), ...unheard.filter(({ sent }) => !sent)];
  await takeBackAnnouncements(context.store, uncalled.map(firingOf), { announcedAt, now });
  await leaveAlone(context, ofKind(outcomes, 'away').map(firingOf));
  await noteFailing(context, ofKind(outcomes, 'failing'));
  const busy = ofKind(outcomes, 'busy');
  reportBusy(context, outcomes);
  // A call that a busy server refused may still have started the workflow. So the announcement of a refused start
  // stays, and recovery calls start again.
  for (const [namespace, ofNamespace] of groupBy(busy.map(firingOf), (firing) => firing.namespace)) {
    await postponeClaims(context.store, ofNamespace, later(now.getTime(), context.gates.of(namespace).pause));
  }
  for (const { firing, error } of failed) {
    if (!isOfRow(error)) throw error;
    context.aside.put('the record of a start', firing, error);
  }
  return { linked, deferred: unheard.length + busy.length, refused: ofKind(outcomes, 'refused').length };
}

type Outcome<Kind extends StartOutcome['kind']> = Extract<StartOutcome, { kind: Kind }>;

function ofKind<Kind extends StartOutcome['kind']>(outcomes: StartOutcome[], kind: Kind): Outcome<Kind>[] {
  return outcomes.filter((outcome): outcome is Outcome<Kind> => outcome.kind === kind);
}

function firingOf({ firing }: StartOutcome): StartableFiring {
  return firing;
}

/**
 * Link all started firings in one statement, unless Postgres refuses one of them. If a row is no longer claimed,
 * usually another trigger has linked or closed it, which is no error. {@link reportUnlinked} logs the other cases.
 */
async function link(
  context: TriggerContext,
  outcomes: Outcome<'started'>[],
  failed: Outcome<'failed'>[],
): Promise<number> {
  const now = context.clock.now();
  const started = outcomes.map((outcome) => outcome.started);
  // If Postgres refuses a firing's row, recovery calls start again later, and links the same chain.
  const written: StartedFiring[] = [];
  const failing = new Set(failed.map(({ firing }) => firing.scheduleId));
  const write = async (part: StartedFiring[]) => {
    const linked = await linkFirings(context.store, part, new Date(now));
    written.push(...part);
    return linked;
  };
  const accepted = (rows: { scheduleId: string }[]) => rows.filter(({ scheduleId }) => !failing.has(scheduleId));
  const rows = (await byHalves(context, 'the record of a start', started, write, accepted)).flat();
  const tried = new Set(written);
  const linked = new Set(rows.map(nameOf));
  for (const { firing, started, dueAt, answeredAt } of outcomes) {
    if (!tried.has(started)) continue;
    if (!linked.has(nameOf(firing))) {
      await reportUnlinked(context, firing, started.runId);
      continue;
    }
    context.ends.runs(firing.namespace);
    reportLinked(context, firing, { runId: started.runId, at: answeredAt, dueAt });
  }
  return rows.length;
}

/**
 * Let recovery check these firings once their namespace may be asked again. The namespace may have received the calls.
 */
async function leaveAlone(context: TriggerContext, firings: StartableFiring[]): Promise<void> {
  for (const [name, ofNamespace] of groupBy(firings, ({ namespace }) => namespace)) {
    const { leftAloneUntil, error } = context.temporal.of(name);
    const checkAt = new Date(leftAloneUntil ?? context.clock.now());
    await recordDeferral(context.store, ofNamespace, error?.message ?? 'waiting for Temporal to answer', { checkAt });
  }
}

/**
 * Record starts that failed although their namespace answers. Recovery repeats these starts after pauses that grow to a
 * minute.
 */
async function noteFailing(context: TriggerContext, failing: Outcome<'failing'>[]): Promise<void> {
  if (failing.length === 0) return;
  const now = new Date(context.clock.now());
  const definitions = await context.definitions.load(context.store, failing.map(firingOf));
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

function reportBusy({ busy }: TriggerContext, outcomes: StartOutcome[]): void {
  for (const [namespace, ofNamespace] of groupBy(outcomes, ({ firing }) => firing.namespace)) {
    const [refusal] = ofKind(ofNamespace, 'busy');
    if (refusal) busy.failed({ namespace }, refusal.error.message);
    else if (ofNamespace.some(({ kind }) => kind === 'started')) busy.over({ namespace });
  }
}

/**
 * Log which namespaces have refused no start as too busy for half a minute. A trigger repeats a refused start within
 * seconds, but another trigger may have started what this one held back.
 */
export function sayNoLongerBusy({ busy, gates }: TriggerContext): void {
  for (const { namespace } of busy.open()) if (!gates.of(namespace!).isOverloaded) busy.over({ namespace: namespace! });
}
