const FIRST_PAUSE_MILLISECONDS = 2_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/**
 * Remembers which namespaces do not answer, so that an outage is neither hammered nor written into every waiting row
 * again and again. After each pause one call is tried; the pauses double up to half a minute.
 */
export class Breakers {
  readonly #open = new Map<string, { until: number; pause: number }>();

  /** Until when a namespace is left alone; undefined when it may be called. */
  openUntil(namespace: string, now: number): number | undefined {
    const breaker = this.#open.get(namespace);
    return breaker && breaker.until > now ? breaker.until : undefined;
  }

  /** Namespaces that are left alone now. */
  away(now: number): string[] {
    return [...this.#open.keys()].filter((namespace) => this.openUntil(namespace, now) !== undefined);
  }

  /** Whether a namespace did not answer when it was last called. */
  isDoubtful(namespace: string): boolean {
    return this.#open.has(namespace);
  }

  /** A namespace did not answer. Returns until when to leave it alone, and whether it answered before. */
  fail(namespace: string, now: number): { until: number; opened: boolean } {
    const breaker = this.#open.get(namespace);
    // Calls that were under way together fail together, and count once.
    if (breaker && breaker.until > now) return { until: breaker.until, opened: false };
    const pause = breaker ? Math.min(LONGEST_PAUSE_MILLISECONDS, breaker.pause * 2) : FIRST_PAUSE_MILLISECONDS;
    this.#open.set(namespace, { until: now + pause, pause });
    return { until: now + pause, opened: !breaker };
  }

  /** A namespace answered. Returns whether it had not before. */
  succeed(namespace: string): boolean {
    return this.#open.delete(namespace);
  }
}
