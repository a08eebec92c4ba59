import { readMonthsPast } from '../../store/archive/restored';
import type { Store } from '../../store/connection';
import { type MonthHolder, readMonthHolder, retireMonth } from '../../store/firings/retention';

/** A month that is past retention and stays. */
export interface HeldMonth {
  month: Date;
  /** What is open in it; undefined where readers of the table held it. */
  holder: MonthHolder | undefined;
}

/**
 * Retire the months that ended before an instant, oldest first, in place of the triggers.
 *
 * @returns the first that stays, and so those after it
 */
export async function retirePast(
  store: Store,
  past: { endedBefore: number; now: Date },
): Promise<HeldMonth | undefined> {
  for (const month of await readMonthsPast(store, past)) {
    if ((await retireMonth(store, month)) !== 'retired') return { month, holder: await readMonthHolder(store, month) };
  }
  return undefined;
}
