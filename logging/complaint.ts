import type { Logger } from '@temporalio/common';

const SAID_AGAIN_AFTER_MILLISECONDS = 60_000;

/**
 * Logs a failure that repeats: at once, whenever its text changes, and otherwise at most once a minute. Later lines
 * contain how long the failure has lasted and how often it has occurred. After a minute the failure is logged as an
 * error.
 */
export class Complaint {
  #failing: { since: number; saidAt: number; text: string; failures: number } | undefined;

  /** @param meta names the object that fails */
  constructor(
    private readonly logger: Logger,
    private readonly message: { failing: string; over: string },
    private readonly meta: Record<string, unknown> = {},
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  failed(text: string, meta: Record<string, unknown> = {}): void {
    const now = this.monotonic();
    const failing = this.#failing ?? { since: now, saidAt: Number.NEGATIVE_INFINITY, text, failures: 0 };
    this.#failing = failing;
    failing.failures += 1;
    if (failing.text === text && now - failing.saidAt < SAID_AGAIN_AFTER_MILLISECONDS) return;
    const lasted = now - failing.since;
    const line = { ...this.meta, ...meta, error: text, ...(failing.failures > 1 ? lastedFor(failing, now) : {}) };
    if (lasted < SAID_AGAIN_AFTER_MILLISECONDS) this.logger.warn(this.message.failing, line);
    else this.logger.error(this.message.failing, line);
    Object.assign(failing, { saidAt: now, text });
  }

  over(meta: Record<string, unknown> = {}): void {
    const failing = this.#failing;
    this.#failing = undefined;
    if (failing) {
      this.logger.info(this.message.over, { ...this.meta, ...meta, ...lastedFor(failing, this.monotonic()) });
    }
  }
}

function lastedFor({ since, failures }: { since: number; failures: number }, now: number) {
  return { failures, seconds: Math.round((now - since) / 1_000) };
}
