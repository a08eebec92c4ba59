/** The clock by which a trigger's passes decide, in epoch milliseconds. Tests inject a clock of their own. */
export interface Clock {
  now(): number;
}

/**
 * A reading of the database's clock that took longer than this is too inexact. It is ignored unless it is the first, or
 * proves the estimate wrong.
 */
const LONGEST_ROUND_TRIP_MILLISECONDS = 1_000;
/** A reading is cut to milliseconds, and the estimate is rounded. */
const ROUNDING_MILLISECONDS = 2;

/**
 * The database's clock, as this process estimates it. With such estimates, triggers on hosts whose clocks differ claim
 * by nearly the same time. Between two readings, the monotonic clock advances the estimate, since corrections of the
 * host's clock do not move the monotonic clock.
 */
export class DatabaseClock implements Clock {
  #reading: { database: number; receivedAt: number } | undefined;
  #readAt: number | undefined;

  /** The monotonic time at which this clock was made, with its trigger. */
  readonly madeAt: number;

  constructor(private readonly monotonic: () => number = () => performance.now()) {
    this.madeAt = monotonic();
  }

  now(): number {
    if (!this.#reading) return Date.now();
    return Math.round(this.#reading.database + (this.monotonic() - this.#reading.receivedAt));
  }

  /** How far the database's clock is ahead of this host's, in milliseconds; undefined before the first reading. */
  get offset(): number | undefined {
    return this.#reading && this.now() - Date.now();
  }

  /**
   * The monotonic time at which the last reading arrived, even if that reading was ignored; undefined before the first.
   */
  get readAt(): number | undefined {
    return this.#readAt;
  }

  /** The current monotonic time. Call this just before the database is asked. */
  mark(): number {
    return this.monotonic();
  }

  /**
   * Process a reading that was requested at `sentAt` and has just arrived. The time of arrival counts as the time of
   * the reading, so at that moment the estimate is behind the database's clock by at most the round trip.
   */
  synchronize(sentAt: number, database: Date): void {
    const receivedAt = this.monotonic();
    this.#readAt = receivedAt;
    const roundTrip = receivedAt - sentAt;
    const ahead = this.now() - database.getTime();
    // The database's clock has gone on since it was read, by a round trip at most.
    const isPossible = ahead >= 0 && ahead <= roundTrip + ROUNDING_MILLISECONDS;
    if (roundTrip > LONGEST_ROUND_TRIP_MILLISECONDS && this.#reading && isPossible) return;
    this.#reading = { database: database.getTime(), receivedAt };
  }
}
