import type { Logger } from '@temporalio/common';

/** A loop around one awaitable pass. */
export interface TickerOptions {
  name: string;
  intervalMilliseconds: number;
  /** Longest pause after a failure; it doubles from the interval. */
  backoffCapMilliseconds: number;
  /** Returns how many milliseconds to pause at most; 0 runs it again at once. */
  pass: () => Promise<number>;
  logger: Logger;
}

/**
 * Runs a pass over and over, one at a time, with a pause in between that {@link wake} cuts short. A failure is a normal
 * state: it is logged once, the pauses grow, and the pass goes on when it can.
 */
export class Ticker {
  #stopping = false;
  #woken = false;
  #failures = 0;
  #cutShort: () => void = () => {};
  #running: Promise<void> | undefined;

  constructor(private readonly options: TickerOptions) {}

  /** Does nothing after {@link stop}. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Run the pass now, or once more after the one that is running. */
  wake(): void {
    this.#woken = true;
    // A failing pass keeps its pause: waking it in a loop would hammer what is away.
    if (this.#failures === 0) this.#cutShort();
  }

  /** Start no further pass; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cutShort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      const pause = await this.#tick();
      if (!this.#stopping && pause > 0 && (!this.#woken || this.#failures > 0)) await this.#pause(pause);
    }
  }

  async #tick(): Promise<number> {
    const { name, logger, pass, intervalMilliseconds, backoffCapMilliseconds } = this.options;
    try {
      const pause = await pass();
      if (this.#failures > 0) logger.info(`${name} pass works again`, { failures: this.#failures });
      this.#failures = 0;
      return pause;
    } catch (error) {
      this.#failures += 1;
      const { message, name: errorName } = error as Error;
      if (this.#failures === 1) logger.warn(`${name} pass failed; trying again`, { error: message, errorName });
      const backoff = intervalMilliseconds * 2 ** Math.min(this.#failures, 10);
      return Math.max(intervalMilliseconds, Math.min(backoffCapMilliseconds, backoff));
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, milliseconds);
      this.#cutShort = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }
}
