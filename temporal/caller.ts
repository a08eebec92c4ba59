import type { Connection } from '@temporalio/client';
import { isUnsent, kindOf, reasonOf } from './errors';
import { TemporalCallError } from './port';

export interface TemporalSettings {
  deadlineMilliseconds: number;
  identity: string;
  /** How long a workflow task may wait for a worker before its chain counts as stalled. */
  stalledAfterMilliseconds: number;
  /** Reads the clock by which a workflow task waits, in epoch milliseconds. @default the host's clock */
  now?: (() => number) | undefined;
}

/** When a chain counts as stalled. */
export type StallSettings = Pick<TemporalSettings, 'stalledAfterMilliseconds' | 'now'>;

/** The shortest time between two connections that calls open while the server does not answer. */
const RENEWED_AFTER_MILLISECONDS = 1_000;

/**
 * Calls to one server. Each call has a deadline. A call that fails throws a {@link TemporalCallError}. If the last call
 * got no answer, a later call replaces the connection. The connection's own attempts to reconnect may be two minutes
 * apart, and it may take as long to notice that the network dropped it.
 */
export class TemporalCaller {
  #connection: Connection;
  #isSilent = false;
  #connectedAt = performance.now();
  readonly #retired = new Map<Connection, NodeJS.Timeout>();

  constructor(
    private readonly connect: () => Connection,
    readonly settings: TemporalSettings,
  ) {
    this.#connection = connect();
  }

  /** The raw service; its methods throw the network's errors, so they are used within {@link call}. */
  get service() {
    return this.#connection.workflowService;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /**
   * @param leaseLeft the time left of the lease, in milliseconds. If the lease ended some time ago, for example while
   * the process stood still, the deadline of the call is earlier by that time
   */
  async call<Response>(rpc: () => Promise<Response>, leaseLeft = Number.POSITIVE_INFINITY): Promise<Response> {
    if (this.#isSilent && performance.now() - this.#connectedAt >= RENEWED_AFTER_MILLISECONDS) this.#renew();
    const deadline = Date.now() + Math.min(0, leaseLeft) + this.settings.deadlineMilliseconds;
    try {
      const response = await this.#connection.withDeadline(deadline, rpc);
      this.#isSilent = false;
      return response;
    } catch (error) {
      const kind = kindOf(error);
      this.#isSilent = kind === 'away';
      throw new TemporalCallError(reasonOf(error), kind, { cause: error, unsent: isUnsent(error) });
    }
  }

  async close(): Promise<void> {
    for (const timeout of this.#retired.values()) clearTimeout(timeout);
    await Promise.all([this.#connection, ...this.#retired.keys()].map((connection) => connection.close()));
    this.#retired.clear();
  }

  /** The former connection stays open until the deadline of the calls in progress on it. */
  #renew(): void {
    const former = this.#connection;
    this.#connection = this.connect();
    this.#connectedAt = performance.now();
    const timeout = setTimeout(() => {
      this.#retired.delete(former);
      former.close().catch(() => {});
    }, this.settings.deadlineMilliseconds);
    this.#retired.set(former, timeout.unref());
  }
}
