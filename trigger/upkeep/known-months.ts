import { PostgresUnreachableError } from '../../core/errors';
import type { Complaints } from '../../logging/complaints';
import type { Store } from '../../store/connection';
import { ensurePartitions, monthOf, oneOfEachMonth } from '../../store/firings/partitions';
import { isMonthRetired, readMonths } from '../../store/firings/retire-month';
import { isLockTimeout } from '../../store/postgres-errors';
import type { TriggerProblem } from '../../store/table-values';

/**
 * A month that could not be created is no longer reported once nobody has tried to create it for this long, for example
 * since the schedule that needed it is paused. Sweeps try to create the current month and the next one much more often.
 */
const NEEDED_MILLISECONDS = 600_000;

/** A try may wait three seconds for a lock. Claims in between go on without the month. */
const TRIED_AGAIN_AFTER_MILLISECONDS = 5_000;

/**
 * Remembers months whose partitions exist, so that claims need not ask each time, and months that cannot be created.
 */
export class KnownMonths {
  readonly #known = new Set<string>();
  /** When a try last waited for a lock in vain. */
  #lockedAt: number | undefined;
  readonly #missing = new Map<string, { since: Date; triedAt: number; error: string }>();

  constructor(private readonly complaints: Complaints) {}

  /**
   * Create the partitions of the months that contain these instants. Past months may be retired at any time, so
   * Postgres is always asked about them.
   *
   * @returns the months that cannot be created, such as `2026-01`
   * @throws for a retired month an error that `isMonthRetired` recognizes
   */
  async ensure(store: Store, instants: Date[], now: number): Promise<Set<string>> {
    const current = monthOf(new Date(now));
    const missing = new Set<string>();
    for (const instant of oneOfEachMonth(instants)) {
      const month = monthOf(instant);
      if (month >= current && this.#known.has(month)) continue;
      if (!(await this.#isMade(store, instant, now))) missing.add(month);
    }
    return missing;
  }

  async #isMade(store: Store, instant: Date, now: number): Promise<boolean> {
    const lastTries = [this.#missing.get(monthOf(instant))?.triedAt, this.#lockedAt];
    if (lastTries.some((at) => at !== undefined && Math.abs(now - at) < TRIED_AGAIN_AFTER_MILLISECONDS)) return false;
    try {
      await this.make(store, instant, now);
      return true;
    } catch (error) {
      if (isAboutOther(error)) throw error;
      // All months are created under one lock.
      if (isLockTimeout(error)) this.#lockedAt = now;
      return false;
    }
  }

  /** Create the partition of the month that contains an instant, even if it is known to exist. */
  async make(store: Store, instant: Date, now: number): Promise<void> {
    const month = monthOf(instant);
    try {
      await ensurePartitions(store, [instant]);
    } catch (error) {
      const isOther = isAboutOther(error);
      // Another trigger may have created the month, which this one may no longer do.
      if (!isOther && (await readMonths(store).catch(() => [])).some((there) => monthOf(there) === month))
        return this.#found(month);
      const known = this.#missing.get(month);
      const reason = isOther ? known?.error : (error as Error).message;
      if (reason !== undefined) {
        this.#missing.set(month, { since: known?.since ?? new Date(now), triedAt: now, error: reason });
        this.complaints.failed({ month }, reason);
      }
      throw error;
    }
    this.#found(month);
  }

  #found(month: string): void {
    this.#known.add(month);
    this.#notMissing(month);
  }

  #notMissing(month: string): void {
    this.#missing.delete(month);
    this.complaints.over({ month });
  }

  /** Forget all months: a database that lost its latest transactions may have lost a month. */
  forget(): void {
    this.#known.clear();
  }

  problems(now: number): TriggerProblem[] {
    for (const [month, { triedAt }] of this.#missing) {
      if (now - triedAt >= NEEDED_MILLISECONDS) this.#notMissing(month);
    }
    return [...this.#missing].map(([month, { since, error }]) => ({
      condition: 'partition_missing',
      subject: month,
      since: since.toISOString(),
      text: `The partition of firings for ${month} is missing, and a trigger could not make it${month <= monthOf(new Date(now)) ? ', so that nothing of it is claimed' : ''}: ${error}.`,
      action: "Grant the role of the triggers 'execute' on 'ensure_partition', or fix that error.",
    }));
  }
}

/** Whether an error does not say that the month cannot be created: Postgres is away, or the month was retired. */
function isAboutOther(error: unknown): boolean {
  return error instanceof PostgresUnreachableError || isMonthRetired(error);
}
