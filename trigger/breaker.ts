const FIRST_PAUSE_MILLISECONDS = 2_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;
const REMEMBERED_AT_MOST = 1_000;

/**
 * Remembers which namespaces do not answer, so that an outage is neither hammered nor written into every waiting row
 * again and again. After each pause one call is tried; the pauses double up to half a minute. A start that failed while
 * others came through, such as one whose shard of the server is stuck, is put off by itself from then on.
 */
export class Breakers {
  readonly #open = new Map<string, { until: number; pause: number; failed: Set<string> }>();
  /** Starts that failed while their namespace answered others, the latest last. */
  readonly #odd = new Set<string>();

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

  /**
   * A namespace did not answer.
   *
   * @param starts names of the firings that were called
   * @returns until when to leave it alone, or these firings where it is theirs; and whether it answered before
   */
  fail(namespace: string, now: number, starts: string[] = []): { until: number; opened: boolean } {
    const breaker = this.#open.get(namespace);
    if (!breaker && starts.length > 0 && starts.every((name) => this.#odd.has(name))) {
      return { until: now + LONGEST_PAUSE_MILLISECONDS, opened: false };
    }
    for (const name of starts) breaker?.failed.add(name);
    // Calls that were under way together fail together, and count once.
    if (breaker && breaker.until > now) return { until: breaker.until, opened: false };
    const pause = breaker ? Math.min(LONGEST_PAUSE_MILLISECONDS, breaker.pause * 2) : FIRST_PAUSE_MILLISECONDS;
    this.#open.set(namespace, { until: now + pause, pause, failed: breaker?.failed ?? new Set(starts) });
    return { until: now + pause, opened: !breaker };
  }

  /** Whether a start fails though its namespace answers others. */
  isOdd(start: string): boolean {
    return this.#odd.has(start);
  }

  /** A namespace answered, where any of these firings were started. Returns whether it had not before. */
  succeed(namespace: string, starts: string[] = []): boolean {
    const breaker = this.#open.get(namespace);
    if (breaker) for (const name of breaker.failed) this.#odd.add(name);
    for (const name of starts) this.#odd.delete(name);
    for (const name of this.#odd) {
      if (this.#odd.size <= REMEMBERED_AT_MOST) break;
      this.#odd.delete(name);
    }
    return this.#open.delete(namespace);
  }
}
