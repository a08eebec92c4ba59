import { setTimeout as pause } from 'node:timers/promises';
import { SchemaTooNewError } from '../core/errors';
import { pinoLogger } from './logging';
import type { TriggerOptions } from './options';
import { Trigger } from './trigger';

/** Postgres and Temporal may have gone for a moment only. */
const FIRST_PAUSE_MILLISECONDS = 1_000;
/** As far behind its servers' return a trigger may run. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** One trigger for all that share it: the first starts it, the last stops it. */
export class SharedTrigger {
  #sharers = 0;
  #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: TriggerOptions) {}

  /** Does not wait: what the trigger needs may be away. */
  enter(): void {
    this.#sharers += 1;
    if (this.#sharers > 1) return;
    this.#stopping = new AbortController();
    this.#ended = runUntilStopped(this.options, this.#stopping.signal);
  }

  /** Resolves once a trigger that nobody shares any more has stopped. */
  async leave(): Promise<void> {
    this.#sharers -= 1;
    if (this.#sharers > 0) return;
    this.#stopping.abort();
    await this.#ended;
  }
}

/** Never rejects: whoever runs beside the trigger goes on without it. */
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
        return logger.error('the worker goes on without a trigger', { error: message });
      }
      logger.error('the trigger beside the worker does not run; it is tried again', { error: message, milliseconds });
    }
    await pause(milliseconds, undefined, { signal: stopping }).catch(() => {});
    milliseconds = Math.min(2 * milliseconds, LONGEST_PAUSE_MILLISECONDS);
  }
}
