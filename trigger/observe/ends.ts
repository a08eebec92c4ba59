import { setTimeout } from 'node:timers/promises';
import { type FiringKey, nameOf } from '../../core/firing';
import {
  advanceEndCursor,
  type EndCursor,
  type FiringOfRun,
  pollEach,
  postponeLateList,
  readFiringsOfRuns,
  takeLateList,
} from '../../store/firings/ends';
import { isRefused } from '../../temporal/errors';
import { type EndedRun, type EndedRunsPage, TemporalCallError } from '../../temporal/port';
import type { TriggerContext } from '../context';
import { type EndedChain, recordEnds } from './close';
import { describeChains, isClosed } from './describe-chains';

const PAGE_SIZE = 500;

/**
 * Record the chains that a namespace lists as ended since the last time, and late ends if their list is due. The list
 * contains single runs, not chains. The list is trusted only for a chain whose first run completed and is listed alone
 * on its page. Other chains of linked firings are looked up, unless the run continued as new.
 *
 * @returns how many ends were new
 */
export async function recordListedEnds(context: TriggerContext, cursor: EndCursor): Promise<number> {
  const { namespace, isLateListDue } = cursor;
  const { lanes } = context;
  const [list] = await lanes.list.run([cursor], () => recordNewEnds(context, cursor));
  if (!list) return 0;
  if (list.end !== 'complete' || !isLateListDue) return list.recorded;
  // The list of late ends may be long. Meanwhile later passes read new ends.
  const [late] = await lanes.listLate.run([cursor], () => recordLateEnds(context, namespace));
  return list.recorded + (late ?? 0);
}

async function recordNewEnds(context: TriggerContext, { namespace, listedTo }: EndCursor): Promise<ReadList> {
  const { ends, store, clock, temporal } = context;
  const range = ends.rangeOf(namespace, listedTo);
  const askedAt = new Date(clock.now());
  const list = await readList(context, namespace, { since: range.since, mayTrust: true });
  const isNewlyUnlisted =
    (list.end === 'unlisted' && ends.doesNotList(namespace)) ||
    (list.end === 'unanswered' && ends.gaveNoAnswer(namespace, temporal.of(namespace).isAway));
  if (isNewlyUnlisted) {
    context.logger.warn('Temporal does not list ended workflows: each is polled by itself', { namespace });
    await pollEach(store, namespace, askedAt);
  }
  if (list.end !== 'complete') return list;
  ends.listed(namespace, list.newest, range);
  if (range.isWhole) await advanceEndCursor(store, namespace, askedAt);
  return list;
}

/**
 * Record ends that the namespace listed late. Each chain is looked up: in the meantime somebody may have reset it, and
 * the new run may not be listed yet.
 */
async function recordLateEnds(context: TriggerContext, namespace: string): Promise<number> {
  const { ends, store } = context;
  const late = ends.lateList();
  const { begunAt: now, since } = late;
  let heldUntil = ends.lateListHeldUntil();
  if (!(await takeLateList(store, namespace, { now, nextDueAt: heldUntil }))) return 0;
  const postpone = async (dueAt: Date) => {
    const from = heldUntil;
    heldUntil = dueAt;
    return postponeLateList(store, namespace, { from, to: dueAt });
  };
  const mayGoOn = () => postpone(ends.lateListHeldUntil());
  const { end, recorded, isLookedUp } = await readList(context, namespace, { since, mayTrust: false, mayGoOn });
  await postpone(ends.nextLateList(late, end === 'complete' && isLookedUp));
  return recorded;
}

interface ReadList {
  end: 'complete' | 'unanswered' | 'busy' | 'unlisted' | 'stopped';
  /** How many ends were new. */
  recorded: number;
  /** When the last listed run closed, in epoch milliseconds; minus infinity if none was listed. */
  newest: number;
  /** Whether Temporal answered for every chain that was looked up. */
  isLookedUp: boolean;
}

interface ListRead {
  since: Date;
  mayTrust: boolean;
  /** Is asked after each page whether the next one is still this trigger's to read. @default always */
  mayGoOn?: () => Promise<boolean>;
}

/** Reads a list page by page, and records each page. */
async function readList(
  context: TriggerContext,
  namespace: string,
  { since, mayTrust, mayGoOn }: ListRead,
): Promise<ReadList> {
  const { limits, stopping } = context;
  const list = { recorded: 0, newest: Number.NEGATIVE_INFINITY, isLookedUp: true };
  let token: string | undefined;
  do {
    const page = await listPage(context, namespace, { since, size: PAGE_SIZE, token });
    if (page === 'unanswered' || page === 'busy' || page === 'unlisted') return { ...list, end: page };
    for (const { closedAt } of page.runs) list.newest = Math.max(list.newest, closedAt.getTime());
    const { recorded, isLookedUp } = await recordPage(context, namespace, page.runs, mayTrust);
    list.recorded += recorded;
    list.isLookedUp &&= isLookedUp;
    token = page.next;
    if (token === undefined || stopping.aborted || (mayGoOn && !(await mayGoOn()))) break;
    await setTimeout(limits.listPagePauseMilliseconds);
  } while (!stopping.aborted);
  return { ...list, end: token === undefined ? 'complete' : 'stopped' };
}

async function listPage({ temporal }: TriggerContext, namespace: string, page: EndedRunsPage) {
  try {
    return (await temporal.of(namespace).listEnds(page)) ?? 'unlisted';
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    if (error.kind === 'busy') return 'busy';
    return isRefused(error) && !error.ofNamespace ? 'unlisted' : 'unanswered';
  }
}

/** @param mayTrust whether a completed run that is listed alone shows how its chain ended */
async function recordPage(
  context: TriggerContext,
  namespace: string,
  runs: EndedRun[],
  mayTrust: boolean,
): Promise<Pick<ReadList, 'recorded' | 'isLookedUp'>> {
  const { ends, installationId, store } = context;
  const fresh = runs.filter(
    ({ memo, runId }) => memo.installation === installationId && !ends.isSettled(namespace, runId),
  );
  const rows = await readFiringsOfRuns(store, fresh.map(keyOf));
  const firings = new Map(rows.map((row) => [nameOf(row), row]));
  const runsOf = countOf(fresh.map((run) => nameOf(keyOf(run))));
  const completed: EndedChain[] = [];
  const unsure = new Map<EndedRun, FiringOfRun>();
  const settled: EndedRun[] = [];
  for (const run of fresh) {
    const firing = firings.get(nameOf(keyOf(run)));
    // The end of this firing's chain is found again once the firing is linked.
    if (firing?.state === 'claimed') continue;
    if (firing?.state !== 'linked' || firing.epoch !== run.memo.epoch || !run.outcome) settled.push(run);
    // If a second run of the firing is listed, somebody may have reset the chain, and then its first run does not show
    // how it ended.
    else if (mayTrust && run.outcome === 'completed' && run.runId === firing.runId && runsOf.get(nameOf(firing)) === 1)
      completed.push(completedBy(run, firing));
    else unsure.set(run, firing);
  }
  const asked = [...new Set(unsure.values())];
  const described = await describeChains(context, asked);
  const running = new Set(described.flatMap(({ state, firing }) => (state === 'running' ? [nameOf(firing)] : [])));
  for (const [run, firing] of unsure) if (running.has(nameOf(firing))) settled.push(run);
  for (const { runId, closedAt } of settled) ends.settle(namespace, runId, closedAt);
  const recorded = await recordEnds(context, [...completed, ...described.filter(isClosed)]);
  const answered = described.filter(({ state }) => state !== 'unanswered');
  return { recorded, isLookedUp: answered.length === asked.length };
}

function completedBy({ closedAt }: EndedRun, firing: FiringOfRun): EndedChain {
  const { scheduleId, scheduledTime, epoch, runId } = firing;
  const closed = {
    scheduleId,
    scheduledTime,
    epoch,
    outcome: 'completed',
    closedAt,
    runId,
    endedRunId: runId,
    failedStep: undefined,
  } as const;
  return { firing, closed };
}

function countOf(names: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function keyOf({ memo }: EndedRun): FiringKey {
  return { scheduleId: memo.scheduleId, scheduledTime: new Date(memo.scheduledTime) };
}
