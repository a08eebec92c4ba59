/** The one clock of a trigger: epoch milliseconds. Injected in tests. */
export interface Clock {
  /** This instant, in epoch milliseconds. */
  now(): number;
}

/** A reading that took longer than this says too little. */
const LONGEST_ROUND_TRIP_MILLISECONDS = 1_000;

/**
 * The database's clock as this process knows it, so that triggers on hosts whose clocks disagree claim by one time. Read
 * at each heartbeat and carried on by the monotonic clock in between, which no correction of the host's clock moves.
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

  /** When it was last read, on the monotonic clock; undefined before the first reading. */
  get readAt(): number | undefined {
    return this.#reading?.receivedAt;
  }

  /** The instant on the monotonic clock, to be taken before the database is asked. */
  mark(): number {
    return this.monotonic();
  }

  /**
   * Take a reading that was asked for at `sentAt` and has just come back. It counts from its arrival: the database's
   * clock is then at that or later, so that this one is late by at most the round trip and never ahead.
   */
  synchronize(sentAt: number, database: Date): void {
    const receivedAt = this.monotonic();
    const slow = receivedAt - sentAt > LONGEST_ROUND_TRIP_MILLISECONDS;
    if (slow && this.#reading) return;
    this.#reading = { database: database.getTime(), receivedAt };
  }
}
