import type { Logger } from '@temporalio/common';
import { Complaint } from '../logging/complaint';
import type { GoOn } from './lanes';

export interface TickerOptions {
  name: string;
  intervalMilliseconds: number;
  /** The first pause after a failure. @default the interval */
  retryMilliseconds?: number | undefined;
  /** Each failure doubles the pause up to this limit. A first pause that is longer stays as it is. */
  backoffCapMilliseconds: number;
  /**
   * Returns the pause before the next pass, in milliseconds. {@link Ticker.wake} may cut the pause short. Once the pass
   * has called `goOn`, the ticker waits for it no longer than the interval.
   */
  pass: (goOn: GoOn) => Promise<number>;
  logger: Logger;
}

/**
 * Runs a pass over and over. Passes run one at a time, except those that have called `goOn`. Failures are logged. After
 * failures the pause grows up to a limit. A pass that fails after the next one has begun causes no pause of its own.
 */
export class Ticker {
  #stopping = false;
  #woken = false;
  #failures = 0;
  /** Unlike `#failures`, a success does not reset this count. */
  #failuresEver = 0;
  #cutShort: () => void = () => {};
  #running: Promise<void> | undefined;
  readonly #underWay = new Set<Promise<number>>();
  readonly #complaint: Complaint;

  constructor(private readonly options: TickerOptions) {
    const { name, logger } = options;
    this.#complaint = new Complaint(logger, {
      failing: `${name} pass failed; trying again`,
      over: `${name} pass works again`,
    });
  }

  /** Does nothing after {@link stop}. */
  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Begin the next pass without a pause, as soon as the running one has ended or called `goOn`. After a failed pass the
   * pause stays.
   */
  wake(): void {
    this.#woken = true;
    // A failing pass keeps its pause: waking it in a loop would flood a server that is away.
    if (this.#failures === 0) this.#cutShort();
  }

  /** Start no further pass. Resolves when all running passes have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cutShort();
    await this.#running;
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      const pause = await this.#tick();
      if (!this.#stopping && pause > 0 && (!this.#woken || this.#failures > 0)) await this.#pause(pause);
    }
  }

  /**
   * When the pass has ended, resolves to the pause before the next pass. If the pass has called `goOn`, resolves to 0
   * after one interval at the latest, or as soon as {@link wake} is called.
   */
  async #tick(): Promise<number> {
    let goOn: GoOn = () => {};
    const isFree = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isWaitedFor = true;
    const ended = this.#attempt(goOn).then((pause) => {
      this.#underWay.delete(ended);
      // With a pause of 0, a pass asks for the next pass at once.
      if (!isWaitedFor && pause === 0) this.wake();
      return pause;
    });
    this.#underWay.add(ended);
    const isTimeForTheNext = isFree.then(async () => {
      if (!this.#woken && !this.#stopping) await this.#pause(this.options.intervalMilliseconds);
      return 0;
    });
    const pause = await Promise.race([ended, isTimeForTheNext]);
    this.#cutShort();
    isWaitedFor = false;
    return pause;
  }

  async #attempt(goOn: GoOn): Promise<number> {
    const {
      pass,
      intervalMilliseconds,
      retryMilliseconds = intervalMilliseconds,
      backoffCapMilliseconds,
    } = this.options;
    const before = this.#failuresEver;
    try {
      const pause = await pass(goOn);
      // If another pass has failed since this one began, this one does not show that passes work again.
      if (this.#failuresEver === before) {
        this.#failures = 0;
        this.#complaint.over();
      }
      return pause;
    } catch (error) {
      this.#failures += 1;
      this.#failuresEver += 1;
      const { message, name: errorName } = error as Error;
      this.#complaint.failed(message, { errorName });
      const backoff = retryMilliseconds * 2 ** Math.min(this.#failures - 1, 10);
      return Math.max(retryMilliseconds, Math.min(backoffCapMilliseconds, backoff));
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
