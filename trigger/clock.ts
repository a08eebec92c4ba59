/** The one clock of a trigger: epoch milliseconds. Injected in tests. */
export interface Clock {
  now(): number;
}

/**
 * This process's clock plus its offset from the database's, so that triggers on hosts whose clocks disagree claim by one
 * time. Measured at each heartbeat.
 */
export class DatabaseClock implements Clock {
  #offset = 0;

  now(): number {
    return Date.now() + this.#offset;
  }

  /** How far this process's clock is behind the database's, in milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  /** Take a reading of the database's clock that was asked for at `sentAt` and has just come back. */
  synchronize(sentAt: number, database: Date): void {
    const receivedAt = Date.now();
    this.#offset = Math.round(database.getTime() - (sentAt + receivedAt) / 2);
  }
}
