import { NotSupportedError } from '../core/errors';
import type { CompiledSpec } from '../core/occurrences';
import { isRetiredMonth } from '../store/backfill';
import { ensurePartitions, monthOf } from '../store/partitions';
import { readRetentionFloor } from '../store/retention-floor';
import type { CheckedRange } from './backfill-ranges';
import type { ClientContext } from './context';
import { RetiredMonthError } from './errors';

/** Months whose record is gone say nothing about what fired: refused before anything is written. */
export async function refuseRetired(
  context: ClientContext,
  { scheduleId, compiled }: { scheduleId: string; compiled: CompiledSpec },
  ranges: CheckedRange[],
  options: { refire?: boolean }[],
): Promise<void> {
  const floor = await readRetentionFloor(context.store);
  if (!floor) return;
  for (const [index, { start, end, path }] of ranges.entries()) {
    const first = compiled.next(start - 1);
    if (first === undefined || first > end || first >= floor.getTime()) continue;
    if (!options[index]!.refire) throw new RetiredMonthError(scheduleId, monthOf(new Date(first)));
    throw new NotSupportedError(`${path}.refire`, `begin at ${floor.toISOString()} or later`);
  }
}

/** Make the months of these times, before any lock is taken. */
export async function makeMonths({ store }: ClientContext, scheduleId: string, batch: Date[]): Promise<void> {
  for (const [month, time] of new Map(batch.map((time) => [monthOf(time), time]))) {
    try {
      await ensurePartitions(store, [time]);
    } catch (error) {
      throw isRetiredMonth(error) ? new RetiredMonthError(scheduleId, month) : error;
    }
  }
}
