import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { StandstillError } from './errors';

/** A server that does nothing for this long in real time keeps its time from being skipped. */
const PATIENCE_MILLISECONDS = 30_000;

/**
 * The clock of a time-skipping server beside the virtual one, which is `offset` ahead of it.
 *
 * The server skips time only while no workflow task and no activity is outstanding. So the return of a sleep over the
 * gap says that everything that could run has run, without any poll. It comes back in the time that the work took, or
 * when the gap has passed in real time. A lock that is never given back (a workflow task that fails for ever, an
 * activity that hangs) makes a gap last as long as it says.
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

  /** A server's instant on the virtual clock. */
  virtual(serverTime: number): number {
    return serverTime + this.#offset;
  }

  /** Move the server's clock to a virtual instant and let everything run that is due until then. */
  async skipTo(instant: number): Promise<void> {
    const ahead = await this.#ahead(instant);
    if (ahead < 0) return this.#withPatience(this.environment.sleep(-ahead), instant);
    // The work took longer in real time than the virtual clock has moved: it is the server that waits.
    this.#offset -= ahead;
  }

  /** Move the virtual clock alone: nobody works, and what waits for a worker would keep the server's time from being skipped. */
  async leaveBehind(instant: number): Promise<void> {
    this.#offset -= await this.#ahead(instant);
  }

  async #ahead(instant: number): Promise<number> {
    return Math.round(this.virtual(await this.environment.currentTimeMs()) - instant);
  }

  async #withPatience(sleeping: Promise<void>, instant: number): Promise<void> {
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
      await Promise.race([sleeping, impatience]);
    } finally {
      clearTimeout(timer);
      sleeping.catch(() => {});
    }
  }
}
