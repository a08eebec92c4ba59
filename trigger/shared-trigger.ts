import { setTimeout as pause } from 'node:timers/promises';
import { SchemaTooNewError } from '../core/errors';
import { pinoLogger } from './logging';
import type { TriggerOptions } from './options';
import { Trigger } from './trigger';

/** Postgres and Temporal may be gone only for a moment. */
const FIRST_PAUSE_MILLISECONDS = 1_000;
/** A trigger starts at most this long after its servers are back. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** One trigger for everybody who shares it: the first one starts it, the last one stops it. */
export class SharedTrigger {
  #sharers = 0;
  #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: TriggerOptions) {}

  /** Does not wait, since the trigger's servers may not answer. */
  enter(): void {
    this.#sharers += 1;
    if (this.#sharers > 1) return;
    this.#stopping = new AbortController();
    this.#ended = runUntilStopped(this.options, this.#stopping.signal);
  }

  /** Resolves when the trigger has stopped, if nobody shares it any more. */
  async leave(): Promise<void> {
    this.#sharers -= 1;
    if (this.#sharers > 0) return;
    this.#stopping.abort();
    await this.#ended;
  }
}

/** Never rejects: the worker beside the trigger continues without it. */
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
