import { setTimeout } from 'node:timers/promises';
import { type FiringKey, nameOf } from '../../core/firing';
import { adoptFiring, type ListedFiring, readListed, readNamespaces } from '../../store/firings/adopt';
import { type DailyLook, recordPlace, takeDailyLook } from '../../store/firings/daily-look';
import { ensurePartitions } from '../../store/firings/partitions';
import { reopenFirings } from '../../store/firings/reset';
import { isMonthRetired } from '../../store/firings/retention';
import { noticeIncarnation, recordAdoption } from '../../store/incarnation';
import { describeHolder, lockHolders } from '../../store/schedules/lock-holders';
import { type ListedRun, type ListedRuns, type RunsPage, TemporalCallError } from '../../temporal/port';
import { writeOrSetAside } from '../by-halves';
import { cancelAtOf } from '../claim/soft-timeout';
import { Complaint } from '../complaint';
import { concurrently } from '../concurrently';
import { firingFields, later, type TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';
import { groupBy } from '../group';
import { isOf } from '../observe/chain';
import { holdNamespaces, holdSchedules, NOTHING_HELD } from './adoption';

/** What one adopt pass did. */
export interface AdoptResult {
  adopted: number;
  /** Chains that run though their firings had been closed. */
  reopened: number;
  /** Whether every namespace answered. */
  complete: boolean;
}

const DAY = 24 * 60 * 60 * 1_000;
/** For what Temporal lists late, and for clocks that disagree. */
const MARGIN_MILLISECONDS = 600_000;

/**
 * Ask Temporal what it has started for this ledger, and give a row to whatever lost it: an asynchronous failover, or a
 * database restored from an older copy, forgets transactions whose workflows run on.
 */
export async function adopt(context: TriggerContext): Promise<AdoptResult> {
  const { store, adoption, stopping } = context;
  const now = context.clock.now();
  const { incarnation, adopted, intactUntil } = await noticeIncarnation(store, new Date(now));
  if (adoption.incarnation !== incarnation) Object.assign(adoption, { incarnation, done: new Set<string>() });
  if (adopted) adoption.held = NOTHING_HELD;

  const result: AdoptResult = { adopted: 0, reopened: 0, complete: true };
  // After a failover each trigger asks, since it may not claim before; else one for all.
  const wanted = adopted ? (adoption.again?.since ?? later(now, -DAY)) : intactUntil;
  const look = adopted ? await takeLook(context, now, wanted!) : undefined;
  if (adopted && !look) return { ...result, complete: false };
  const since = look?.since ?? wanted;
  const from = since && later(since.getTime(), -MARGIN_MILLISECONDS);
  const namespaces = from ? await readNamespaces(store, from) : [];
  const left = namespaces.filter((one) => !adoption.done.has(one) && look?.places[one] !== true);
  // One that takes long to be asked holds up itself alone.
  if (!adopted) holdNamespaces(adoption, left);
  for (const end of await Promise.all(left.map((namespace) => adoptOrPutOff(context, namespace, from!, look)))) {
    result.adopted += end?.adopted ?? 0;
    result.reopened += end?.reopened ?? 0;
    result.complete &&= end?.isDone ?? false;
  }
  if (stopping.aborted) return { ...result, complete: false };
  // The daily look is a safety net: what did not answer is looked at the day after.
  if (!result.complete && !adopted) return result;

  await recordAdoption(store, incarnation, new Date(now));
  adoption.again = adopted || !since ? undefined : { since, at: now + context.limits.sweepIntervalMilliseconds };
  adoption.adoptedAt = new Date(now);
  adoption.done.clear();
  adoption.held = NOTHING_HELD;
  return result;
}

/** @returns undefined while another trigger is at it */
function takeLook({ id: owner, store, settings }: TriggerContext, now: number, since: Date) {
  const staleBefore = later(now, -settings.staleAfterMilliseconds);
  return takeDailyLook(store, { owner, now: new Date(now), since, staleBefore });
}

/** Undefined where Temporal could not be asked all of it: it is asked again, and the other namespaces do not wait for that. */
async function adoptOrPutOff(context: TriggerContext, namespace: string, since: Date, look: DailyLook | undefined) {
  const { adoption, stopping } = context;
  try {
    const done = await adoptNamespace(context, namespace, since, look);
    if (!done) return undefined;
    if (stopping.aborted) return { ...done, isDone: false };
    // What is not adopted yet could be fired again: its schedule waits, and no other.
    if (!look) holdSchedules(adoption, namespace, done.held);
    if (done.held.size > 0) {
      const [scheduleId] = [...done.held] as [string];
      const heldBy = (await lockHolders(context.store, scheduleId)).map(describeHolder);
      const meta = { scheduleId, schedules: done.held.size, heldBy };
      complaintOf(context, namespace).failed('somebody keeps schedules locked, or their rows are refused', meta);
      return { ...done, isDone: false };
    }
    adoption.complaints.get(namespace)?.over();
    adoption.done.add(namespace);
    return { ...done, isDone: true };
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    if (!error.ofNamespace) complaintOf(context, namespace).failed(error.message);
    return undefined;
  }
}

function complaintOf({ adoption: { complaints }, logger }: TriggerContext, namespace: string): Complaint {
  const message = {
    failing: 'what Temporal has started could not be adopted',
    over: 'what Temporal has started is adopted',
  };
  const complaint = complaints.get(namespace) ?? new Complaint(logger, message, { namespace });
  complaints.set(namespace, complaint);
  return complaint;
}

/** A run of ours, as its memo names it. */
type OwnRun = FiringKey & ListedRun & { namespace: string };

/** Page by page: a day of runs has no bound, and each page is done with before the next one is asked for. */
async function adoptNamespace(
  context: TriggerContext,
  namespace: string,
  since: Date,
  look: DailyLook | undefined,
): Promise<AdoptedPage | undefined> {
  const { id, limits, stopping, store } = context;
  const done = { adopted: 0, reopened: 0, held: new Set<string>() };
  const begun = look?.places[namespace];
  let token = begun === true ? undefined : begun;
  for (;;) {
    const listed = await list(context, namespace, { since, size: limits.batchSize, token });
    if (!listed) return undefined;
    const page = await adoptPage(context, namespace, listed.runs);
    done.adopted += page.adopted;
    done.reopened += page.reopened;
    for (const scheduleId of page.held) done.held.add(scheduleId);
    token = listed.next;
    if (stopping.aborted) return done;
    // Whoever goes on begins at the first page of which a locked schedule was left.
    const isPassed = look && done.held.size === 0;
    if (isPassed && !(await recordPlace(store, id, namespace, token ?? true))) return undefined;
    if (token === undefined) return done;
    await setTimeout(limits.listPagePauseMilliseconds);
  }
}

/** What came of a page. */
interface AdoptedPage {
  adopted: number;
  reopened: number;
  /** IDs of schedules that somebody keeps locked: what is theirs was left. */
  held: ReadonlySet<string>;
}

async function adoptPage(context: TriggerContext, namespace: string, listed: ListedRun[]): Promise<AdoptedPage> {
  const { limits, stopping, store } = context;
  const runs = latestOfEach(listed.flatMap((run) => ownRun(context, namespace, run) ?? []));
  const rows = await readListed(store, runs);
  const work = runs.map((run, index) => ({ run, row: rows[index]! }));
  const adoptOne = ({ run, row }: (typeof work)[number]) => {
    if (isLost(run, row)) return adoptRun(context, run, row);
    const mayBeOpen = row.state === 'closed' && row.epoch === run.memo.epoch && run.running;
    return mayBeOpen ? reopen(context, run, row) : undefined;
  };
  // One after the other of a schedule: each needs its lock.
  const bySchedule = [...groupBy(work, ({ run }) => run.scheduleId).values()];
  const done = await concurrently(bySchedule, limits.startsInFlight, stopping, async (ofSchedule) => {
    const ends: (Awaited<ReturnType<typeof adoptOne>> | 'held')[] = [];
    for (const one of ofSchedule) {
      const end = await writeOrSetAside(context, 'the adoption', one.run, async () => ({ end: await adoptOne(one) }));
      ends.push(end ? end.end : 'held');
    }
    return ends;
  });
  const ends = done.flatMap((one) => one ?? []);
  const count = (end: 'adopted' | 'reopened') => ends.filter((one) => one === end).length;
  const held = new Set(
    bySchedule.flatMap((ofSchedule, index) => (done[index]?.includes('held') ? [ofSchedule[0]!.run.scheduleId] : [])),
  );
  return { adopted: count('adopted'), reopened: count('reopened'), held };
}

/** Undefined while it is left alone. */
async function list({ temporal }: TriggerContext, namespace: string, page: RunsPage): Promise<ListedRuns | undefined> {
  const nothing = { runs: [], next: undefined };
  const door = temporal.of(namespace);
  try {
    if (door.leftAloneUntil === undefined) return (await door.listRuns(page)) ?? nothing;
  } catch (error) {
    if (!door.isMissing) throw error;
  }
  // In a namespace that is not there nothing runs.
  return door.isMissing ? nothing : undefined;
}

/** Whether the row of a run is missing, or is from before the run. A schedule that is lost itself has no place for it. */
function isLost({ memo }: OwnRun, { known, state, epoch, attempted }: ListedFiring): boolean {
  if (!known) return false;
  if (state === null) return true;
  if (state === 'buffered') return epoch === memo.epoch;
  // A claim whose start was announced asks Temporal itself before it is given up.
  if (state === 'claimed') return epoch === memo.epoch && !attempted;
  if (state === 'abandoned') return epoch! <= memo.epoch;
  return (state === 'closed' || state === 'skipped') && epoch! < memo.epoch;
}

async function adoptRun(context: TriggerContext, run: OwnRun, { version, state }: ListedFiring) {
  const { store, temporal, clock } = context;
  const { scheduleId, scheduledTime, namespace, workflowId, startedAt, memo } = run;
  const chain = await temporal.of(namespace).describeChain(workflowId, run.runId);
  try {
    await ensurePartitions(store, [scheduledTime]);
  } catch (error) {
    // Its row lies in an archived month.
    if (isMonthRetired(error)) return 'there';
    throw error;
  }
  const { kind, epoch, actor = null } = memo;
  const key = { scheduleId, version };
  const definition = (await context.definitions.load(store, [key]))(key);
  const startsAt = aheadOf(definition, run);
  const cancelAt = cancelAtOf(context, definition, { startsAt });
  // A list row has no first run.
  const runId = chain?.firstRunId ?? run.runId;
  const lost = {
    ...key,
    scheduledTime,
    kind,
    actor,
    epoch,
    namespace,
    workflowId,
    runId,
    startedAt,
    cancelAt,
    startsAt,
    state,
  };
  const now = new Date(clock.now());
  const end = await adoptFiring(store, lost, { owner: context.id, now });
  if (end === 'adopted') {
    context.metrics.of.adopted.inc({ namespace: lost.namespace });
    context.logger.warn('adopted', { ...firingFields(lost), runId });
  }
  return end;
}

/** When a workflow may begin whose start was called ahead of that; null for the others. */
function aheadOf({ compiled }: CompiledDefinition, { scheduledTime, startedAt, memo }: OwnRun): Date | null {
  if (memo.kind !== 'schedule' || compiled instanceof Error) return null;
  const startsAt = compiled.startTime(scheduledTime.getTime());
  return startsAt > startedAt.getTime() ? new Date(startsAt) : null;
}

/** The list may be late: only describe says whether the chain runs. */
async function reopen(
  context: TriggerContext,
  run: OwnRun,
  row: ListedFiring,
): Promise<'reopened' | 'held' | undefined> {
  const { runId, epoch, version } = row;
  const { scheduleId, scheduledTime, namespace, workflowId } = run;
  if (runId === null || epoch === null) return undefined;
  const reference = { scheduleId, scheduledTime, namespace, workflowId, runId, epoch };
  const chain = await context.temporal.of(namespace).describeChain(workflowId);
  if (!chain || chain.outcome !== undefined || !isOf(context, reference, chain)) return undefined;
  const key = { scheduleId, version };
  const cancelAt = cancelAtOf(context, (await context.definitions.load(context.store, [key]))(key));
  const now = new Date(context.clock.now());
  const { reopened, held } = await reopenFirings(context.store, [{ ...reference, cancelAt }], now);
  if (held.length > 0) return 'held';
  if (reopened.length === 0) return undefined;
  context.logger.warn('reopened', { ...firingFields(reference), runId });
  return 'reopened';
}

/** A run of this ledger, whose namespace may hold another's. */
function ownRun({ installationId }: TriggerContext, namespace: string, run: ListedRun): OwnRun | undefined {
  const { installation, scheduleId, scheduledTime } = run.memo;
  return installation === installationId
    ? { ...run, namespace, scheduleId, scheduledTime: new Date(scheduledTime) }
    : undefined;
}

/** Of the runs of one firing on a page the last: of its highest epoch, the one that runs or began last. */
function latestOfEach(runs: OwnRun[]): OwnRun[] {
  const rank = (run: OwnRun) => [run.memo.epoch, Number(run.running), run.startedAt.getTime()] as const;
  const latest = new Map<string, OwnRun>();
  for (const run of runs) {
    const known = latest.get(nameOf(run));
    if (!known || isBehind(rank(known), rank(run))) latest.set(nameOf(run), run);
  }
  return [...latest.values()];
}

function isBehind(one: readonly number[], other: readonly number[]): boolean {
  const place = one.findIndex((value, index) => value !== other[index]);
  return place !== -1 && one[place]! < other[place]!;
}
