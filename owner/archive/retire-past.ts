import { readMonthsPast } from '../../store/archive/restored';
import type { Store } from '../../store/connection';
import { countGaps, countMonths, endOfMonth, GAPS_AT_ONCE } from '../../store/firings/counts';
import { type MonthHolder, readMonthHolder, retireMonth } from '../../store/firings/retire-month';

/** A month past retention that cannot be retired. */
export interface HeldMonth {
  month: Date;
  /**
   * The open firing or letter that keeps the month; undefined if the month could not be counted or locked now, or a
   * purge runs.
   */
  holder: MonthHolder | undefined;
}

/** Retires the months that ended before an instant, oldest first, until one of them cannot be retired. */
export async function retirePast(
  store: Store,
  past: { endedBefore: number; now: Date },
): Promise<HeldMonth | undefined> {
  const countedTo = await countMonths(store, past.now.getTime());
  if (countedTo) while ((await countGaps(store, countedTo)) === GAPS_AT_ONCE);
  for (const month of await readMonthsPast(store, past)) {
    const isRetired =
      countedTo && endOfMonth(month) <= countedTo.getTime() && (await retireMonth(store, month)) === 'retired';
    if (!isRetired) return { month, holder: await readMonthHolder(store, month) };
  }
  return undefined;
}
