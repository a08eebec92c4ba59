import type { CompiledSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { ensurePartitions, monthOf } from '../../store/firings/partitions';
import { isMonthRetired, readRetentionFloor } from '../../store/firings/retire-month';
import type { ClientContext } from '../context';
import { RetiredMonthError } from '../errors';
import type { CheckedRange } from './backfill-ranges';

/**
 * Refuse a range with occurrences in retired months unless `refire` is given, since occurrences could fire twice there.
 * @throws {RetiredMonthError}
 */
export async function refuseRetired(
  { store }: { store: Store },
  { scheduleId, compiled }: { scheduleId: string; compiled: CompiledSpec },
  ranges: CheckedRange[],
  options: { refire?: boolean }[] = [],
): Promise<void> {
  if (ranges.length === 0) return;
  const floor = await readRetentionFloor(store);
  if (!floor) return;
  for (const [index, { start, end }] of ranges.entries()) {
    const first = compiled.next(start - 1);
    if (options[index]?.refire || first === undefined || first > end || first >= floor.getTime()) continue;
    throw new RetiredMonthError(scheduleId, monthOf(new Date(first)));
  }
}

/** @throws {RetiredMonthError} for a retired month without `refire` */
export async function makeMonths(
  { store }: ClientContext,
  scheduleId: string,
  batch: Date[],
  { refire = false }: { refire?: boolean },
): Promise<void> {
  for (const [month, time] of new Map(batch.map((time) => [monthOf(time), time]))) {
    try {
      await ensurePartitions(store, [time], { allowRetired: refire });
    } catch (error) {
      throw isMonthRetired(error) ? new RetiredMonthError(scheduleId, month) : error;
    }
  }
}
