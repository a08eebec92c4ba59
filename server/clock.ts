import type { Store } from '../store/connection';
import { readNow } from '../store/now';

const READ_AGAIN_MILLISECONDS = 10_000;
/** While a reading counts, a later one that took longer than this is too inexact. */
const LONGEST_ROUND_TRIP_MILLISECONDS = 1_000;
/**
 * If the clocks of the host have moved apart by more than this, the last reading no longer counts: the host may have
 * slept, so that its monotonic clock stood still.
 */
const APART_AT_MOST_MILLISECONDS = 1_000;

/**
 * The ledger's clock, as the server estimates it: what is late or expired must not depend on the clock of a host.
 * Between two readings, the monotonic clock advances the estimate.
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
   * Set the clock by the ledger's, unless a reading of the last ten seconds counts. The call waits for the reading only
   * if no former one counts. If Postgres does not answer, the last estimate advances; without one, the host's clock is
   * used.
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
