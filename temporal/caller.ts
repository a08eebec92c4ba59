import type { Connection } from '@temporalio/client';
import { isUnsent, kindOf, reasonOf } from './errors';
import { TemporalCallError } from './port';

/** How a trigger calls Temporal. */
export interface TemporalSettings {
  deadlineMilliseconds: number;
  identity: string;
  /** How long a workflow task waits for a worker before its chain counts as stalled. */
  stalledAfterMilliseconds: number;
}

/** While nobody answers, a new connection is tried this often. */
const RENEWED_AFTER_MILLISECONDS = 1_000;

/**
 * The way to one server, whose calls have a deadline and fail in the terms that recovery needs. A connection on which nobody
 * answers is replaced: its own attempts to get through come up to two minutes apart, and one that a network has forgotten
 * is not given up for as long.
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

  /** Its methods throw what the network says: call them within {@link call}. */
  get service() {
    return this.#connection.workflowService;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** @param leaseLeft milliseconds; a call that is sent late, such as after a freeze, is over before it begins */
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

  /** Calls that are under way on the former connection still end by their deadline. */
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
