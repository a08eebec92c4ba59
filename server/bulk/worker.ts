import { randomUUID } from 'node:crypto';
import { runBulk } from '../../client/bulk/run-bulk';
import { Complaint } from '../../logging/complaint';
import type { ServerContext } from '../context';

/** How often the worker polls for operations, such as those that another server has left unfinished. */
const LOOK_MILLISECONDS = 2_000;

/** Carries out bulk changes, one operation at a time, while the server answers requests. */
export class BulkWorker {
  readonly #stopping = new AbortController();
  readonly #server = randomUUID();
  #working: Promise<void> | undefined;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #complaint: Complaint;

  constructor(private readonly server: Pick<ServerContext, 'store' | 'logger' | 'contextOf'>) {
    this.#complaint = new Complaint(server.logger, {
      failing: 'bulk operations are not carried out; trying again',
      over: 'bulk operations are carried out again',
    });
  }

  /** Poll for operations at an interval. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), LOOK_MILLISECONDS).unref();
  }

  /** Poll now. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isWoken = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Wait until the worker has nothing to do; for tests. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Finishes the schedules that are being changed, and leaves the rest to another server or to the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { store, contextOf } = this.server;
    const stopping = this.#stopping.signal;
    const context = ({ actor, tenant }: { actor: string; tenant: string | null }) =>
      contextOf({ actor, tenant: tenant ?? undefined });
    try {
      while (this.#isWoken && !stopping.aborted) {
        this.#isWoken = false;
        while (!stopping.aborted && (await runBulk({ store, server: this.#server, contextOf: context, stopping })));
        this.#complaint.over();
      }
    } catch (error) {
      // A later poll continues the operation.
      this.#complaint.failed((error as Error).message);
    }
  }
}
