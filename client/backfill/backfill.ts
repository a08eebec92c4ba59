import { isPauseOver } from '../../core/decisions/pause';
import { workflowIdOf } from '../../core/identity';
import { type CompiledSpec, foundOne } from '../../core/occurrences';
import { zoneOf } from '../../core/spec-zone';
import { readFired } from '../../store/firings/backfill';
import { bufferOccurrences, wakeTimer } from '../../store/firings/buffered';
import { readLeftToNative } from '../../store/firings/gaps';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { type ClientContext, compiledOrRefused } from '../context';
import { ScheduleConflictError } from '../errors';
import { refuseFrozen } from '../freezes/refuse-frozen';
import { inTurns } from '../in-turns';
import { refuseOutside } from '../tenants/limits';
import { changeLive, ledgerNow, readLive } from '../update/change';
import { makeMonths, refuseRetired } from './backfill-months';
import type { BackfillOptions, BackfillResult } from './backfill-options';
import { overlapOutlook } from './backfill-overlap';
import { type CheckedRange, checkRanges } from './backfill-ranges';

const BATCH_SIZE = 1_000;

/**
 * Without `refire`, occurrences that were left to Temporal's own schedule get no firing: the ledger does not know which
 * of them ran.
 */
export async function backfillLive(
  context: ClientContext,
  scheduleId: string,
  given: BackfillOptions | BackfillOptions[],
): Promise<BackfillResult> {
  const row = await readLive(context, scheduleId);
  await refuseOutside(context.store, [{ tenant: row.tenant, definition: row }]);
  const compiled = compiledOrRefused({ ...row, definition: row });
  const ranges = checkRanges(given, {
    path: 'backfill',
    compiled,
    zone: zoneOf(row.spec),
    now: await ledgerNow(context),
  });
  const options = [given].flat();
  await refuseRetired(context, { scheduleId, compiled }, ranges, options);
  for (const { dryRun, duringFreeze } of options) {
    if (!dryRun) await refuseFrozen(context, context.store, scheduleId, { duringFreeze });
  }

  const result: BackfillResult = { occurrences: 0, filled: 0, skipping: 0, alreadyFired: 0, leftToTrigger: 0 };
  const policies = ranges.map(({ overlap }) => overlap);
  const countSkipped = await overlapOutlook(context, row, policies);
  const asked: (typeof policies)[number][] = [];
  // All occurrences are found before the first is written, since the search may take too long and be refused.
  const found: number[][] = [];
  for (const range of ranges) found.push(await occurrencesIn(compiled, range));
  const native = await readLeftToNative(context.store, scheduleId);
  // What the ranges of a dry run would have filled, in epoch milliseconds.
  const planned = new Set<number>();
  for (const [index, range] of ranges.entries()) {
    const { dryRun = false, refire = false, progress } = options[index]!;
    const unfired = async (times: Date[]) => {
      if (times.length === 0) return [];
      const fired = await readFired(context.store, scheduleId, times);
      return times.filter((time) => !fired.has(+time) && !(dryRun && planned.has(+time)));
    };
    for (const batch of batches(found[index]!)) {
      const left = refire ? new Set() : new Set(await unfired(within(native, batch)));
      const ours = batch.filter((time) => !left.has(time));
      const done = dryRun
        ? await tryBatch(context, row, ours, unfired)
        : await writeBatch(context, row, ours, { range, refire, filled: result.filled });
      result.occurrences += batch.length;
      result.filled += done.filled.length;
      result.leftToTrigger += done.left;
      if (left.size > 0) result.leftToNative = (result.leftToNative ?? 0) + left.size;
      result.alreadyFired += ours.length - done.filled.length - done.left;
      note(result, done.filled);
      for (const time of done.filled) {
        asked.push(range.overlap);
        if (dryRun) planned.add(+time);
      }
      await progress?.({ ...result });
    }
  }
  result.skipping = countSkipped(asked);
  return result;
}

function within(gaps: { from: Date; to: Date }[], batch: Date[]): Date[] {
  return batch.filter((time) => gaps.some(({ from, to }) => time >= from && time <= to));
}

interface BatchResult {
  filled: Date[];
  /** How many occurrences of the batch are left to a trigger. */
  left: number;
}

/**
 * Write a batch under the schedule's lock. @throws {ScheduleConflictError} if the definition is no longer the one from
 * which the occurrences were computed
 */
async function writeBatch(
  context: ClientContext,
  row: ScheduleRow,
  batch: Date[],
  { range, refire, filled }: { range: CheckedRange; refire: boolean; filled: number },
): Promise<BatchResult> {
  const { scheduleId, version } = row;
  await makeMonths(context, scheduleId, batch, { refire });
  return changeLive(context, scheduleId, async (transaction, locked) => {
    if (locked.version !== version) {
      const problem = `was changed after ${filled} firings had been filled in; call backfill again for the rest`;
      throw new ScheduleConflictError(scheduleId, version, locked.version, problem);
    }
    const ours = batch.filter((time) => time <= answerableTo(locked, locked.now));
    const { workflowId } = locked.definition.action;
    const kind = 'backfill' as const;
    const occurrences = ours.map((scheduledTime) => {
      const identity = { scheduleId, scheduledTime, workflowId, kind, epoch: 0 };
      return { scheduledTime, kind, workflowId: workflowIdOf(identity) };
    });
    const by = { actor: context.identity, overlap: range.overlap };
    const written = await bufferOccurrences(transaction, locked, occurrences, by);
    if (written.length > 0) await wakeTimer(transaction, locked);
    return { filled: written, left: batch.length - ours.length };
  });
}

async function tryBatch(
  context: ClientContext,
  row: ScheduleRow,
  batch: Date[],
  unfired: (times: Date[]) => Promise<Date[]>,
): Promise<BatchResult> {
  const now = await ledgerNow(context);
  const ours = batch.filter((time) => time <= answerableTo(row, now));
  return { filled: await unfired(ours), left: batch.length - ours.length };
}

/**
 * The latest instant that a backfill may fill: mostly `answeredTo`, since a trigger has yet to answer later
 * occurrences. Triggers claim no occurrence of a schedule that is paused or has no actions left, so a backfill may fill
 * such a schedule up to now. After the end of a timed pause, a trigger answers the occurrences before that end too.
 */
export function answerableTo(
  schedule: Pick<ScheduleRow, 'answeredTo' | 'paused' | 'pausedUntil' | 'remainingActions'>,
  now: Date,
): Date {
  const { answeredTo, paused, remainingActions } = schedule;
  const sleeps = remainingActions === 0 || (paused && !isPauseOver(schedule, now.getTime()));
  return sleeps && now > answeredTo ? now : answeredTo;
}

function* batches(times: number[]): Generator<Date[]> {
  for (let at = 0; at < times.length; at += BATCH_SIZE) {
    yield times.slice(at, at + BATCH_SIZE).map((time) => new Date(time));
  }
}

/** @throws {InvalidScheduleError} if the search takes too long */
async function occurrencesIn(compiled: CompiledSpec, range: CheckedRange): Promise<number[]> {
  const times: number[] = [];
  for await (const some of inTurns(search(compiled, range))) for (const time of some) times.push(time);
  return times;
}

function* search(compiled: CompiledSpec, { start, end }: CheckedRange): Generator<number> {
  for (let at = compiled.next(start - 1); at !== undefined && at <= end; at = compiled.next(at)) {
    foundOne();
    yield at;
  }
}

function note(result: BackfillResult, filled: Date[]): void {
  for (const time of filled) {
    if (!result.first || time < result.first) result.first = time;
    if (!result.last || time > result.last) result.last = time;
  }
}
