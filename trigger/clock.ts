/** The only clock of a trigger, in epoch milliseconds. Tests inject their own. */
export interface Clock {
  /** This instant, in epoch milliseconds. */
  now(): number;
}

/** A reading with a longer round trip than this is too inexact. */
const LONGEST_ROUND_TRIP_MILLISECONDS = 1_000;

/**
 * The database's clock, as this process estimates it. Triggers on hosts with different clocks thus claim by the same
 * time. Each heartbeat reads it. Between two readings, the monotonic clock advances it, since corrections of the host's
 * clock do not move the monotonic clock.
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

  /** The monotonic time, to be taken before asking the database. */
  mark(): number {
    return this.monotonic();
  }

  /**
   * Take a reading that was requested at `sentAt` and has just arrived. The arrival counts as the time of the reading,
   * and the database's clock is by then the same or later. This clock is therefore never ahead, and late by at most the
   * round trip.
   */
  synchronize(sentAt: number, database: Date): void {
    const receivedAt = this.monotonic();
    const slow = receivedAt - sentAt > LONGEST_ROUND_TRIP_MILLISECONDS;
    if (slow && this.#reading) return;
    this.#reading = { database: database.getTime(), receivedAt };
  }
}
