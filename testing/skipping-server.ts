import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { LONGEST_UNLISTED_PAUSE_MILLISECONDS } from '../trigger/observe/observe';
import { StandstillError } from './errors';

/**
 * The server does not skip time while a workflow or activity is busy; this is the limit for that, in real time. It is
 * less than the pause between two polls of a busy chain: otherwise each sleep would end before the limit.
 */
const PATIENCE_MILLISECONDS = LONGEST_UNLISTED_PAUSE_MILLISECONDS - 5_000;

/**
 * The clock of a time-skipping server, and the virtual clock of the environment, which is `offset` ahead of it.
 *
 * The server skips time only while no workflow task and no activity is outstanding. So when a sleep until the virtual
 * instant returns, everything that could run has run, and no polling is needed. The sleep returns as soon as that work
 * is done, or when its time has passed in real time. If a workflow task always fails, or an activity hangs, the sleep
 * takes its whole real time.
 */
export class SkippingServer {
  #offset: number;

  private constructor(
    readonly environment: TestWorkflowEnvironment,
    offset: number,
  ) {
    this.#offset = offset;
  }

  static async at(environment: TestWorkflowEnvironment, virtualNow: number): Promise<SkippingServer> {
    return new SkippingServer(environment, virtualNow - (await environment.currentTimeMs()));
  }

  /** Converts an instant of the server's clock to the virtual clock. */
  virtual(serverTime: number): number {
    return serverTime + this.#offset;
  }

  /**
   * Advance the server's clock to a virtual instant, and let everything run that is due until then.
   *
   * @param failure rejects when the worker fails, since its tasks would then wait for ever
   */
  async skipTo(instant: number, failure?: Promise<never>): Promise<void> {
    const ahead = await this.#ahead(instant);
    if (ahead < 0) return this.#sleepUntil(instant, -ahead, failure);
    // The work took more real time than the virtual clock advanced, so the offset shrinks by the difference.
    this.#offset -= ahead;
  }

  /**
   * Advance only the virtual clock, and leave the server's clock behind. Use it while no worker runs: workflow tasks
   * wait then, and the server does not skip time while one waits.
   */
  async leaveBehind(instant: number): Promise<void> {
    this.#offset -= await this.#ahead(instant);
  }

  async #ahead(instant: number): Promise<number> {
    return Math.round(this.virtual(await this.environment.currentTimeMs()) - instant);
  }

  async #sleepUntil(instant: number, milliseconds: number, failure?: Promise<never>): Promise<void> {
    const { environment } = this;
    const end = new AbortController();
    const sleeping = environment.connection.withAbortSignal(end.signal, () => environment.sleep(milliseconds));
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const until = new Date(instant).toISOString();
        reject(
          new StandstillError(
            `the server's time has not come to ${until} in ${PATIENCE_MILLISECONDS / 1_000} s: a workflow or an activity is still busy, or waits for a worker that does not poll; look into env.temporal for what runs`,
          ),
        );
      }, PATIENCE_MILLISECONDS);
    });
    try {
      await Promise.race([sleeping, impatience, ...(failure ? [failure] : [])]);
    } finally {
      clearTimeout(timer);
      sleeping.catch(() => {});
      // If the server stopped first, the client would call it again, and throw where nobody can catch the error.
      end.abort();
    }
  }
}
