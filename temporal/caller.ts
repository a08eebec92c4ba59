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

/** One connection, whose calls have a deadline and fail in the terms that recovery needs. */
export class TemporalCaller {
  constructor(
    private readonly connection: Connection,
    readonly settings: TemporalSettings,
  ) {}

  /** Its methods throw what the network says: call them within {@link call}. */
  get service() {
    return this.connection.workflowService;
  }

  /** @param leaseLeft milliseconds; a call that is sent late, such as after a freeze, is over before it begins */
  async call<Response>(rpc: () => Promise<Response>, leaseLeft = Number.POSITIVE_INFINITY): Promise<Response> {
    const deadline = Date.now() + Math.min(0, leaseLeft) + this.settings.deadlineMilliseconds;
    try {
      return await this.connection.withDeadline(deadline, rpc);
    } catch (error) {
      throw new TemporalCallError(reasonOf(error), kindOf(error), { cause: error, unsent: isUnsent(error) });
    }
  }
}
