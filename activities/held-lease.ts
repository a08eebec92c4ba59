import { TemporalFailure } from '@temporalio/common';
import type { Store } from '../store/connection';
import {
  guardTransaction,
  IDLE_IN_TRANSACTION,
  LEASE_OVER,
  releaseLease,
  renewLease,
  type TransactionClient,
} from '../store/leases';
import { GuardTimeoutError, InvalidLeaseError, LeaseLostError } from './errors';
import { pause } from './pause';
import type { Won } from './wait-for-lease';

const OVER = 'it expired, and another activity may have taken it';

const RENEWALS_AT_ONCE = 2;

interface Warnings {
  warn(message: string, meta?: Record<string, unknown>): void;
}

/**
 * This process gives the lease up once the lease's time to live has passed on the monotonic clock. The time counts from
 * when the statement that acquired or last renewed the lease was sent.
 */
export class HeldLease {
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #deadline: NodeJS.Timeout | undefined;
  #liveSince = Number.NEGATIVE_INFINITY;
  #unanswered = 0;
  #lastError: unknown;
  readonly #guarded = new Set<TransactionClient>();
  #isIdleTooLong = false;
  readonly #onError = (error: Error) => {
    this.#isIdleTooLong ||= (error as { code?: unknown }).code === IDLE_IN_TRANSACTION;
  };

  constructor(
    private readonly store: Store,
    private readonly lease: Won & { resource: string; key: string; ttlMilliseconds: number },
    private readonly log: Warnings,
  ) {
    this.#liveFrom(lease.since);
    void this.#keep();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The lease, with its resource as the ledger names it. */
  get #row() {
    return { ...this.lease, resource: this.lease.key };
  }

  async guard(client: TransactionClient): Promise<void> {
    const { key, token, ttlMilliseconds } = this.lease;
    // Postgres is asked even if this process has already given the lease up: only an error that Postgres raises makes
    // the transaction fail.
    const guarded = await guardTransaction(client, this.store.schema, {
      resource: key,
      token,
      idleMilliseconds: Math.ceil(ttlMilliseconds),
    }).catch((error) => {
      if ((error as { code?: unknown }).code !== LEASE_OVER) throw error;
      throw this.#lose(OVER);
    });
    if (!guarded) {
      throw new InvalidLeaseError(
        `guard: the client has no open transaction, so nothing is protected; call query('begin') on the same client first`,
      );
    }
    if (this.#guarded.has(client)) return;
    this.#guarded.add(client);
    client.on?.('error', this.#onError);
  }

  /**
   * If Postgres ended a guarded transaction because it was idle, the client's own error does not say so. A
   * {@link GuardTimeoutError} then replaces it.
   */
  explained(failure: unknown): unknown {
    if (!this.#isIdleTooLong || failure instanceof TemporalFailure) return failure;
    return new GuardTimeoutError(this.lease.resource, this.lease.ttlMilliseconds, textOf(failure));
  }

  /** If the lease had already ended, {@link lost} aborts. */
  async release(): Promise<void> {
    // The deadline could not fire while the work blocked the event loop.
    const isOver = performance.now() - this.#liveSince >= this.lease.ttlMilliseconds;
    this.#ended.abort();
    clearTimeout(this.#deadline);
    for (const client of this.#guarded) client.off?.('error', this.#onError);
    if (this.lost.aborted) return;
    try {
      const held = await releaseLease(this.store, this.#row);
      if (!held) this.#lose(OVER);
    } catch (error) {
      if (isOver) this.#lose(`it could not be renewed in time (${textOf(error)})`);
      else this.#warn('a lease could not be released; it expires by itself', error);
    }
  }

  async #keep(): Promise<void> {
    const quarter = this.lease.ttlMilliseconds / 4;
    for (let next = quarter; ; ) {
      await pause(next, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      try {
        // If the connection of a renewal hangs, the next renewal uses another connection. At most two renewals of a
        // lease run at once, since all leases of the worker share its connections.
        const patience = this.#patience(quarter);
        await (this.#unanswered < RENEWALS_AT_ONCE ? Promise.race([this.#renew(), patience]) : patience);
        next = quarter;
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        if (this.#lastError === undefined) this.#warn('renewing a lease failed; trying again', error);
        this.#lastError = error;
        next = quarter / 4;
      }
    }
  }

  /** The answer counts even if `#keep` no longer waits for it. */
  async #renew(): Promise<void> {
    const askedAt = performance.now();
    this.#unanswered += 1;
    const renewed = await renewLease(this.store, this.#row).finally(() => {
      this.#unanswered -= 1;
    });
    if (this.#ended.signal.aborted) return;
    if (!renewed) return void this.#lose(OVER);
    this.#liveFrom(askedAt);
    this.#lastError = undefined;
  }

  async #patience(milliseconds: number): Promise<never> {
    await pause(milliseconds, this.#ended.signal);
    throw new Error(`Postgres has not answered for ${milliseconds} ms`);
  }

  #liveFrom(instant: number): void {
    if (instant < this.#liveSince) return;
    this.#liveSince = instant;
    clearTimeout(this.#deadline);
    const left = instant + this.lease.ttlMilliseconds - performance.now();
    const expire = () => {
      const why = this.#lastError === undefined ? '' : ` (${textOf(this.#lastError)})`;
      this.#lose(`it could not be renewed in time${why}`);
    };
    this.#deadline = setTimeout(expire, left);
  }

  #lose(why: string): LeaseLostError {
    const error = new LeaseLostError(this.lease.resource, this.lease.token, why);
    this.#ended.abort();
    clearTimeout(this.#deadline);
    this.#lost.abort(error);
    return error;
  }

  #warn(message: string, error: unknown): void {
    const { resource, token } = this.lease;
    this.log.warn(message, { resource, token, error: textOf(error) });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
