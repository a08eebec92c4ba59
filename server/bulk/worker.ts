import { randomUUID } from 'node:crypto';
import { AT_ONCE, runTaken } from '../../client/bulk/run-bulk';
import { Complaint } from '../../logging/complaint';
import { type BulkOperation, takeOperation } from '../../store/bulk/operations';
import { Places } from '../../store/places';
import type { ServerContext } from '../context';

/** How often the worker polls for operations, such as those that another server has left unfinished. */
const LOOK_MILLISECONDS = 2_000;
/** How many operations a server carries out side by side. A slow one mostly waits for the time of its next change. */
const OPERATIONS_AT_MOST = 50;

/**
 * Carries out bulk changes while the server answers requests. Running operations take turns, schedule by schedule, so
 * that none holds up the others.
 */
export class BulkWorker {
  readonly #stopping = new AbortController();
  readonly #server = randomUUID();
  readonly #running = new Map<string, Promise<void>>();
  readonly #turns = new Places(AT_ONCE);
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #complaint: Complaint;

  constructor(private readonly server: Pick<ServerContext, 'store' | 'logger' | 'contextOf'>) {
    this.#complaint = new Complaint(server.logger, {
      failing: 'bulk operations are not carried out; trying again',
      over: 'bulk operations are carried out again',
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), LOOK_MILLISECONDS).unref();
  }

  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isWoken = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async idle(): Promise<void> {
    while (this.#looking || this.#running.size > 0) await Promise.all([this.#looking, ...this.#running.values()]);
  }

  /** Finishes the schedules that are being changed, and leaves the rest to another server or to the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.idle();
  }

  async #look(): Promise<void> {
    try {
      while (this.#isWoken && !this.#stopping.signal.aborted) {
        this.#isWoken = false;
        await this.#takeAll();
        if (this.#running.size === 0) this.#complaint.over();
      }
    } catch (error) {
      this.#complaint.failed((error as Error).message);
    }
  }

  async #takeAll(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#running.size < OPERATIONS_AT_MOST) {
      const operation = await takeOperation(this.server.store, this.#server);
      // The lease of a running operation may have ended while Postgres did not answer.
      if (!operation || this.#running.has(operation.operationId)) return;
      this.#running.set(operation.operationId, this.#carryOut(operation));
    }
  }

  async #carryOut(operation: BulkOperation): Promise<void> {
    const { store, contextOf } = this.server;
    const context = ({ actor, tenant }: Pick<BulkOperation, 'actor' | 'tenant'>) =>
      contextOf({ actor, tenant: tenant ?? undefined });
    const runner = { store, server: this.#server, contextOf: context, stopping: this.#stopping.signal };
    try {
      await runTaken({ ...runner, inTurn: (change) => this.#inTurn(change) }, operation);
      this.#running.delete(operation.operationId);
      this.#complaint.over();
      this.wake();
    } catch (error) {
      // A later poll continues the operation.
      this.#running.delete(operation.operationId);
      this.#complaint.failed((error as Error).message);
    }
  }

  async #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    await this.#turns.take();
    try {
      return await change();
    } finally {
      this.#turns.giveBack();
    }
  }
}
