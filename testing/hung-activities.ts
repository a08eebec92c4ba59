import { msToNumber } from '@temporalio/common/lib/time';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';

/** How long, in real time, an activity may take to react when its worker stops and cancels it. */
const PATIENCE_MILLISECONDS = 3_000;

/**
 * Lets a worker stop although an activity hangs. The SDK's worker stops only once each of its activities has ended,
 * even one that ignores its cancellation. With `shutdownForceTime` its native part would go on, and `run` would reject.
 */
export class HungActivities {
  readonly #givenUp: Promise<never>;
  #giveUp!: (error: Error) => void;

  /** Fails an activity when it is given up, although its function may run on. */
  readonly interceptor: ActivityInterceptorsFactory = () => ({
    inbound: { execute: (input, next) => Promise.race([next(input), this.#givenUp]) },
  });

  constructor() {
    this.#givenUp = new Promise((_, reject) => {
      this.#giveUp = reject;
    });
    // If no activity is running, nobody else handles this rejection, and an unhandled rejection would end the process.
    this.#givenUp.catch(() => {});
  }

  /** Awaits the end of a worker that stops. Activities that run on for too long are made to fail. */
  async outlast(running: Promise<void>, grace: WorkerOptions['shutdownGraceTime'] = 0): Promise<void> {
    const error = new Error(
      `the activity still ran ${PATIENCE_MILLISECONDS / 1_000} s after its cancellation, when its worker stopped`,
    );
    // The worker cancels its activities after its grace time.
    const timer = setTimeout(() => this.#giveUp(error), msToNumber(grace) + PATIENCE_MILLISECONDS);
    try {
      await running;
    } finally {
      clearTimeout(timer);
    }
  }
}
