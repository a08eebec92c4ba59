import type { Store } from '../../store/connection';
import { ensurePartitions, monthOf } from '../../store/firings/partitions';

/** Months that were seen to be there, so that not every claim has to ask. */
export class KnownMonths {
  readonly #known = new Set<string>();

  /** Make the months that hold these instants. Months that are over may be retired at any time: they are asked for always. */
  async ensure(store: Store, instants: Date[], now: number): Promise<void> {
    const current = monthOf(new Date(now));
    for (const [month, instant] of new Map(instants.map((instant) => [monthOf(instant), instant]))) {
      if (month >= current && this.#known.has(month)) continue;
      await ensurePartitions(store, [instant]);
      this.#known.add(month);
    }
  }

  /** A database that lost its latest transactions may have lost a month. */
  forget(): void {
    this.#known.clear();
  }
}
