import { randomUUID } from 'node:crypto';
import { runBulk } from '../../client/bulk/run-bulk';
import type { ServerContext } from '../context';

/** How often a server looks for operations that another one left, by its death or its stop. */
const LOOK_MILLISECONDS = 2_000;

/** Carries out changes of many schedules, one operation after the other, beside what the server answers. */
export class BulkWorker {
  readonly #stopping = new AbortController();
  readonly #server = randomUUID();
  #working: Promise<void> | undefined;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Pick<ServerContext, 'store' | 'logger' | 'contextOf'>) {}

  /** Look now and again. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), LOOK_MILLISECONDS).unref();
  }

  /** Look now: somebody asked for an operation. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isWoken = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Wait until nothing is left to carry out, for tests. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Finish the schedules in hand, and leave the rest to others. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { store, logger, contextOf } = this.server;
    const stopping = this.#stopping.signal;
    const context = ({ actor, tenant }: { actor: string; tenant: string | null }) =>
      contextOf({ actor, tenant: tenant ?? undefined });
    try {
      while (this.#isWoken && !stopping.aborted) {
        this.#isWoken = false;
        while (!stopping.aborted && (await runBulk({ store, server: this.#server, contextOf: context, stopping })));
      }
    } catch (error) {
      // It is gone on with at the next poll.
      logger.warn('an operation on many schedules is held up', { error });
    }
  }
}
