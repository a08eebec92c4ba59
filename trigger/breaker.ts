const FIRST_PAUSE_MILLISECONDS = 2_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;
/** Odd starts of one batch at most: more that fail together are their namespace's failing. */
export const ODD_AT_ONCE = 3;
/** Starts of a namespace that does not answer which are called by turns, before another one is every so many calls. */
const TRIED_AT_LEAST = 8;
const REMEMBERED_AT_MOST = 1_000;

interface Breaker {
  until: number;
  pause: number;
  /** Starts that were called since the namespace answered last, and when they failed last. */
  failed: Map<string, number>;
  /** How often in a row what had failed before was tried. */
  repeats: number;
}

/**
 * Remembers which namespaces do not answer, so that an outage is neither hammered nor written into every waiting row
 * again and again. After each pause one call is tried; the pauses double up to half a minute. A start that failed while
 * others came through, such as one whose shard of the server is stuck, is put off by itself from then on.
 */
export class Breakers {
  readonly #open = new Map<string, Breaker>();
  /** Starts that failed though their namespace answered others afterwards, the latest last, and their own next pause. */
  readonly #odd = new Map<string, number>();

  /** By namespace that answers again, starts that failed together with the answer, and when. */
  readonly #unsure = new Map<string, Map<string, number>>();

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

  /** Whether a start fails though its namespace answers others. */
  isOdd(start: string): boolean {
    return this.#odd.has(start);
  }

  /**
   * The order in which starts of a namespace that does not answer are tried, the lowest first; 0 for those that were not called.
   * First some that were not, since one that always fails says nothing of the others; once there are enough, these by turns, and
   * another one now and then: of what was never called nobody need wonder later whether it has landed.
   */
  turnOf(namespace: string, start: string): number {
    const breaker = this.#open.get(namespace);
    const failedAt = breaker?.failed.get(start);
    if (breaker === undefined || failedAt === undefined) return 0;
    const othersFirst = breaker.failed.size < TRIED_AT_LEAST || breaker.repeats >= TRIED_AT_LEAST;
    return othersFirst ? failedAt : failedAt - Number.MAX_SAFE_INTEGER;
  }

  /** Whether a start is tried only where no other waits. */
  isBehind(namespace: string, start: string): boolean {
    return this.turnOf(namespace, start) > 0;
  }

  /**
   * A namespace did not answer.
   *
   * @param calls.called names of the firings whose start was called; `isAll` unless others were not for that
   * @returns until when to leave it alone, or these firings where it is their failing; and whether it answered before
   */
  fail(
    namespace: string,
    now: number,
    { called = [], isAll = true }: { called?: string[]; isAll?: boolean } = {},
  ): { until: number; opened: boolean } {
    const breaker = this.#open.get(namespace);
    if (!breaker && isAll && this.#areOdd(called)) return { until: now + this.#nextPause(called), opened: false };
    const failed = breaker?.failed ?? this.#unsure.get(namespace) ?? new Map<string, number>();
    this.#unsure.delete(namespace);
    const isRepeat = called.every((name) => failed.has(name));
    for (const name of called) failed.set(name, now);
    // Calls that were under way together fail together, and count once.
    if (breaker && breaker.until > now) return { until: breaker.until, opened: false };
    const pause = breaker ? Math.min(LONGEST_PAUSE_MILLISECONDS, breaker.pause * 2) : FIRST_PAUSE_MILLISECONDS;
    const repeats = isRepeat ? (breaker?.repeats ?? 0) + 1 : 0;
    this.#open.set(namespace, { until: now + pause, pause, failed, repeats });
    return { until: now + pause, opened: !breaker };
  }

  /**
   * A namespace answered.
   *
   * @param calls.started names of the firings that were started; `since` is when they were called: what failed with them may yet
   *   be the namespace's failing
   * @returns whether it had not answered before
   */
  succeed(namespace: string, { started = [], since = 0 }: { started?: string[]; since?: number } = {}): boolean {
    const unsure = new Map(this.#open.get(namespace)?.failed ?? this.#unsure.get(namespace));
    for (const name of started) {
      unsure.delete(name);
      this.#odd.delete(name);
    }
    for (const [name, failedAt] of unsure) {
      if (failedAt >= since) continue;
      unsure.delete(name);
      if (!this.#odd.has(name)) this.#odd.set(name, FIRST_PAUSE_MILLISECONDS);
    }
    if (unsure.size > 0) this.#unsure.set(namespace, unsure);
    else this.#unsure.delete(namespace);
    for (const name of this.#odd.keys()) {
      if (this.#odd.size <= REMEMBERED_AT_MOST) break;
      this.#odd.delete(name);
    }
    return this.#open.delete(namespace);
  }

  #areOdd(starts: string[]): boolean {
    return starts.length > 0 && starts.length <= ODD_AT_ONCE && starts.every((name) => this.#odd.has(name));
  }

  #nextPause(starts: string[]): number {
    const pause = Math.max(...starts.map((name) => this.#odd.get(name)!));
    for (const name of starts) this.#odd.set(name, Math.min(LONGEST_PAUSE_MILLISECONDS, pause * 2));
    return pause;
  }
}
