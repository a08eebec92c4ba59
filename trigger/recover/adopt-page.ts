import { type FiringKey, nameOf } from '../../core/firing';
import { workflowIdOf } from '../../core/identity';
import { adoptFiring, type ListedFiring, readListed } from '../../store/firings/adopt';
import { ensurePartitions } from '../../store/firings/partitions';
import { reopenFirings } from '../../store/firings/reset';
import { isMonthRetired } from '../../store/firings/retire-month';
import { type ListedRun, TemporalCallError } from '../../temporal/port';
import { eachOrSetAside } from '../by-halves';
import { cancelAtOf } from '../claim/soft-timeout';
import { concurrently } from '../concurrently';
import { firingFields, type TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';
import { groupBy } from '../group';
import { isOf } from '../observe/chain';

type OwnRun = FiringKey & ListedRun & { namespace: string };

export interface AdoptedPage {
  adopted: number;
  reopened: number;
  /**
   * Schedules with a run that was not adopted, with Temporal's error if it does not describe the run. Otherwise the
   * schedule is locked, or Postgres refuses the row.
   */
  held: ReadonlyMap<string, string | undefined>;
}

/**
 * Write the rows that the ledger has lost, for the latest run of each firing on a page. Firings that were closed
 * although their chains run are reopened.
 */
export async function adoptPage(context: TriggerContext, namespace: string, listed: ListedRun[]): Promise<AdoptedPage> {
  const { limits, stopping, store } = context;
  const runs = latestOfEach(listed.flatMap((run) => ownRun(context, namespace, run) ?? []));
  const rows = await readListed(store, namespace, runs);
  const work = runs.map((run, index) => ({ ...run, row: rows[index]! }));
  const refusals = new Map<string, string>();
  const adoptOne = async ({ row, ...run }: (typeof work)[number]) => {
    const mayBeOpen = row.state === 'closed' && row.epoch === run.memo.epoch && run.running;
    try {
      if (isLost(run, row)) return await adoptRun(context, run, row);
      return mayBeOpen ? await reopen(context, run, row) : undefined;
    } catch (error) {
      if (!isOfRun(error)) throw error;
      refusals.set(run.scheduleId, `${run.workflowId}: ${error.message}`);
      return 'held';
    }
  };
  // The runs of one schedule are handled one after the other, since each needs the schedule's lock.
  const bySchedule = [...groupBy(work, ({ scheduleId }) => scheduleId).values()];
  const done = await concurrently(bySchedule, limits.startsInFlight, stopping, async (ofSchedule) => {
    const ends = await eachOrSetAside(context, 'the adoption', ofSchedule, 1, async (one) => ({
      end: await adoptOne(one),
    }));
    return ends.map((one) => (one ? one.end : 'held'));
  });
  const ends = done.flatMap((one) => one ?? []);
  const count = (end: 'adopted' | 'reopened') => ends.filter((one) => one === end).length;
  const held = bySchedule.flatMap((ofSchedule, index) =>
    done[index]?.includes('held') ? [ofSchedule[0]!.scheduleId] : [],
  );
  return {
    adopted: count('adopted'),
    reopened: count('reopened'),
    held: new Map(held.map((scheduleId) => [scheduleId, refusals.get(scheduleId)])),
  };
}

/** Whether Temporal answers other calls, but not the one about this run, such as a run with a damaged history. */
function isOfRun(error: unknown): error is TemporalCallError {
  return error instanceof TemporalCallError && !error.ofNamespace && error.kind !== 'busy';
}

/**
 * Whether the row of a run is missing, or older than the run. If the ledger has lost the schedule itself, its runs
 * cannot get rows.
 */
function isLost({ memo }: OwnRun, { known, state, epoch, attempted }: ListedFiring): boolean {
  if (!known) return false;
  // A firing's epoch only grows. So a row with an earlier epoch than the run is out of date.
  if (state === null || epoch! < memo.epoch) return true;
  if (epoch! > memo.epoch) return false;
  // A claim whose start was announced is left to recovery, which links its run.
  if (state === 'claimed') return !attempted;
  // A skipped firing never ran in its epoch. If a run has the same epoch, the failover has lost the announcement of its
  // start, and the claim was skipped later, for example by a pause.
  return state === 'buffered' || state === 'abandoned' || state === 'skipped';
}

async function adoptRun(context: TriggerContext, run: OwnRun, { version, state, epoch: rowEpoch }: ListedFiring) {
  const { store, temporal, clock } = context;
  const { scheduleId, scheduledTime, namespace, workflowId, startedAt, memo } = run;
  const chain = await temporal.of(namespace).describeChain(workflowId, run.runId);
  try {
    await ensurePartitions(store, [scheduledTime]);
  } catch (error) {
    // The firing's month is retired, so no row is needed.
    if (isMonthRetired(error)) return 'there';
    throw error;
  }
  const { kind, epoch, actor = null } = memo;
  const key = { scheduleId, version };
  const definition = (await context.definitions.load(store, [key]))(key);
  const startsAt = aheadOf(definition, run);
  const cancelAt = cancelAtOf(context, definition, { startsAt });
  // The listed run may not be the first run of its chain.
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
    rowEpoch,
  };
  const now = new Date(clock.now());
  const end = await adoptFiring(store, lost, { owner: context.id, now });
  if (end === 'adopted') {
    context.metrics.of.adopted.inc({ namespace: lost.namespace });
    context.logger.warn('adopted', { ...firingFields(lost), runId });
  }
  return end;
}

/** When a workflow that was started ahead may begin; null for others, and if the definition cannot be used. */
function aheadOf({ compiled }: CompiledDefinition, { scheduledTime, startedAt, memo }: OwnRun): Date | null {
  if (memo.kind !== 'schedule' || compiled instanceof Error) return null;
  const startsAt = compiled.startTime(scheduledTime.getTime());
  return startsAt > startedAt.getTime() ? new Date(startsAt) : null;
}

/** Reopens a firing. The list may lag behind: only `describe` shows whether the chain runs. */
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

/**
 * A listed run, if it was started for this ledger. Another ledger may start workflows in the same namespace, and anybody
 * may copy the memo of a firing. The prefix of the workflow ID is not compared, since the ledger may have lost the
 * version of the schedule that had it.
 */
function ownRun({ installationId }: TriggerContext, namespace: string, run: ListedRun): OwnRun | undefined {
  const { installation, scheduleId, kind, epoch } = run.memo;
  if (installation !== installationId) return undefined;
  const scheduledTime = new Date(run.memo.scheduledTime);
  const suffix = workflowIdOf({ scheduleId, scheduledTime, workflowId: '', kind, epoch });
  // The kit's double lists a run without an ID, if the row of its firing was damaged.
  return run.workflowId?.endsWith(suffix) ? { ...run, namespace, scheduleId, scheduledTime } : undefined;
}

/** For each firing, one run of the page: the highest epoch wins, then a running run, then the run that began last. */
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
