import type { Store } from '../store/connection';
import { readNow } from '../store/now';

const READ_AGAIN_MILLISECONDS = 10_000;
/** A reading that took longer than this is inexact. It is dropped as long as an earlier reading counts. */
const LONGEST_ROUND_TRIP_MILLISECONDS = 1_000;
/**
 * If the host's wall clock and its monotonic clock have moved apart by more than this, the last reading no longer
 * counts. The host may have slept, and its monotonic clock may have stood still.
 */
const APART_AT_MOST_MILLISECONDS = 1_000;

/**
 * The ledger's clock, as the server estimates it. What is late or expired must not depend on the clock of the server's
 * host. Between two readings, the monotonic clock advances the estimate.
 */
export class LedgerClock {
  #reading: { ledger: number; receivedAt: number; apart: number } | undefined;
  #isRead: Promise<void> | undefined;

  /** @param injected the clock of a test */
  constructor(
    private readonly store: Store,
    private readonly injected: (() => Date) | undefined,
  ) {}

  now(): Date {
    if (this.injected) return this.injected();
    if (!this.#reading) return new Date();
    return new Date(Math.round(this.#reading.ledger + performance.now() - this.#reading.receivedAt));
  }

  /**
   * Reads the ledger's clock, unless a reading of the last ten seconds counts. The call waits for the new reading only
   * if no earlier one counts. If Postgres does not answer, the last estimate advances. If there is no estimate, the
   * host's clock is used.
   */
  async set(): Promise<void> {
    const holds = this.#holds();
    const isFresh = holds && performance.now() - this.#reading!.receivedAt < READ_AGAIN_MILLISECONDS;
    if (this.injected || isFresh) return;
    this.#isRead ??= this.#read()
      .catch(() => undefined)
      .finally(() => {
        this.#isRead = undefined;
      });
    if (!holds) await this.#isRead;
  }

  async #read(): Promise<void> {
    const apart = clocksApart();
    const sentAt = performance.now();
    const ledger = (await readNow(this.store)).getTime();
    const receivedAt = performance.now();
    const isSlow = receivedAt - sentAt > LONGEST_ROUND_TRIP_MILLISECONDS;
    if (!isSlow || !this.#holds()) this.#reading = { ledger, receivedAt, apart };
  }

  #holds(): boolean {
    return !!this.#reading && Math.abs(clocksApart() - this.#reading.apart) <= APART_AT_MOST_MILLISECONDS;
  }
}

function clocksApart(): number {
  return Date.now() - performance.now();
}
