/** The only clock of a trigger, in epoch milliseconds. Tests inject a clock of their own. */
export interface Clock {
  now(): number;
}

/** A reading of the database's clock with a longer round trip is too inexact, and ignored unless it is the first. */
const LONGEST_ROUND_TRIP_MILLISECONDS = 1_000;

/**
 * The database's clock, as this process estimates it. So triggers on hosts whose clocks differ claim by the same time.
 * Each heartbeat reads the database's clock. Between two readings, the monotonic clock advances the estimate, since
 * corrections of the host's clock do not move the monotonic clock.
 */
export class DatabaseClock implements Clock {
  #reading: { database: number; receivedAt: number } | undefined;

  constructor(private readonly monotonic: () => number = () => performance.now()) {}

  now(): number {
    if (!this.#reading) return Date.now();
    return Math.round(this.#reading.database + (this.monotonic() - this.#reading.receivedAt));
  }

  /** How far the database's clock is ahead of this host's, in milliseconds; undefined before the first reading. */
  get offset(): number | undefined {
    return this.#reading && this.now() - Date.now();
  }

  /** When the database's clock was last read, on the monotonic clock; undefined before the first reading. */
  get readAt(): number | undefined {
    return this.#reading?.receivedAt;
  }

  /** The monotonic time, which must be taken before the database is asked. */
  mark(): number {
    return this.monotonic();
  }

  /**
   * Process a reading that was requested at `sentAt` and has just arrived. The time of arrival counts as the time of
   * the reading; by then the database's clock shows this time or a later one. The estimate is therefore never ahead of
   * the database's clock, and behind it by at most the round trip.
   */
  synchronize(sentAt: number, database: Date): void {
    const receivedAt = this.monotonic();
    const slow = receivedAt - sentAt > LONGEST_ROUND_TRIP_MILLISECONDS;
    if (slow && this.#reading) return;
    this.#reading = { database: database.getTime(), receivedAt };
  }
}
