import { setTimeout as pause } from 'node:timers/promises';
import { SchemaTooNewError } from '../core/errors';
import { pinoLogger } from './logging';
import type { TriggerOptions } from './options';
import { Trigger } from './trigger';

/** The first pause is short, since Postgres may be away only for a moment. */
const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** One trigger that several workers of a process share: the first worker starts it, and the last one stops it. */
export class SharedTrigger {
  #sharers = 0;
  #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: TriggerOptions) {}

  /** Does not wait until the trigger runs, since the servers may not answer. */
  enter(): void {
    this.#sharers += 1;
    if (this.#sharers > 1) return;
    this.#stopping = new AbortController();
    this.#ended = runUntilStopped(this.options, this.#stopping.signal);
  }

  /** Waits until the trigger has stopped, if this worker is the last one. */
  async leave(): Promise<void> {
    this.#sharers -= 1;
    if (this.#sharers > 0) return;
    this.#stopping.abort();
    await this.#ended;
  }
}

/** The promise never rejects: the worker beside the trigger continues without the trigger. */
async function runUntilStopped(options: TriggerOptions, stopping: AbortSignal): Promise<void> {
  const logger = options.logger ?? pinoLogger();
  let milliseconds = FIRST_PAUSE_MILLISECONDS;
  while (!stopping.aborted) {
    try {
      const trigger = await Trigger.create({ ...options, logger });
      stopping.addEventListener('abort', () => trigger.shutdown(), { once: true });
      if (stopping.aborted) trigger.shutdown();
      await trigger.run();
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof SchemaTooNewError) {
        return logger.error('the worker continues without a trigger', { error: message });
      }
      logger.error('the trigger beside the worker does not run; trying again', { error: message, milliseconds });
    }
    await pause(milliseconds, undefined, { signal: stopping }).catch(() => {});
    milliseconds = Math.min(2 * milliseconds, LONGEST_PAUSE_MILLISECONDS);
  }
}
