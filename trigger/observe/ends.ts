import { setTimeout } from 'node:timers/promises';
import { type FiringKey, nameOf } from '../../core/firing';
import {
  advanceEndCursor,
  type EndCursor,
  type FiringOfRun,
  pollEach,
  readFiringsOfRuns,
} from '../../store/firings/ends';
import { isRefused } from '../../temporal/errors';
import { type EndedRun, type EndedRunsPage, TemporalCallError } from '../../temporal/port';
import type { TriggerContext } from '../context';
import { type EndedChain, recordEnds } from './close';
import { describeChains, isClosed } from './describe-chains';

const PAGE_SIZE = 500;

/**
 * Record the chains that a namespace lists as ended since the last time. The list contains single runs, not chains. The
 * list is trusted only for a chain whose first run completed and is listed alone on its page. Other chains of linked
 * firings are looked up, unless the run continued as new.
 *
 * @returns how many ends were new
 */
export async function recordListedEnds(context: TriggerContext, { namespace, listedTo }: EndCursor): Promise<number> {
  const { ends, limits, store, stopping, clock } = context;
  const range = ends.rangeOf(namespace, listedTo);
  const askedAt = new Date(clock.now());
  const seen = new Map<string, Date>();
  let recorded = 0;
  let token: string | undefined;
  do {
    const page = await listPage(context, namespace, { since: range.since, size: PAGE_SIZE, token });
    if (page === 'unanswered') return recorded;
    if (page === 'unlisted') {
      if (ends.doesNotList(namespace)) await pollEach(store, namespace, askedAt);
      return recorded;
    }
    for (const { runId, closedAt } of page.runs) seen.set(runId, closedAt);
    recorded += await recordPage(context, namespace, page.runs);
    token = page.next;
    if (token !== undefined && !stopping.aborted) await setTimeout(limits.listPagePauseMilliseconds);
  } while (token !== undefined && !stopping.aborted);
  if (token !== undefined) return recorded;
  ends.listed(namespace, seen, range);
  if (range.isWhole) await advanceEndCursor(store, { namespace, listedTo: askedAt });
  return recorded;
}

async function listPage({ temporal }: TriggerContext, namespace: string, page: EndedRunsPage) {
  try {
    return (await temporal.of(namespace).listEnds(page)) ?? 'unlisted';
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    return isRefused(error) && !error.ofNamespace ? 'unlisted' : 'unanswered';
  }
}

async function recordPage(context: TriggerContext, namespace: string, runs: EndedRun[]): Promise<number> {
  const { ends, installationId, store } = context;
  const fresh = runs.filter(
    ({ memo, runId }) => memo.installation === installationId && !ends.isSettled(namespace, runId),
  );
  const rows = await readFiringsOfRuns(store, fresh.map(keyOf));
  const firings = new Map(rows.map((row) => [nameOf(row), row]));
  const runsOf = countOf(fresh.map((run) => nameOf(keyOf(run))));
  const completed: EndedChain[] = [];
  const unsure = new Map<string, FiringOfRun>();
  const settled: string[] = [];
  for (const run of fresh) {
    const firing = firings.get(nameOf(keyOf(run)));
    // The end of this firing's chain is found again once the firing is linked.
    if (firing?.state === 'claimed') continue;
    if (firing?.state !== 'linked' || firing.epoch !== run.memo.epoch || !run.outcome) settled.push(run.runId);
    // If a second run of the firing is listed, somebody may have reset the chain, and then its first run does not show
    // how it ended.
    else if (run.outcome === 'completed' && run.runId === firing.runId && runsOf.get(nameOf(firing)) === 1)
      completed.push(completedBy(run, firing));
    else unsure.set(run.runId, firing);
  }
  const described = await describeChains(context, [...new Set(unsure.values())]);
  const running = new Set(described.flatMap(({ state, firing }) => (state === 'running' ? [nameOf(firing)] : [])));
  for (const [runId, firing] of unsure) if (running.has(nameOf(firing))) settled.push(runId);
  for (const runId of settled) ends.settle(namespace, runId);
  return recordEnds(context, [...completed, ...described.filter(isClosed)]);
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
