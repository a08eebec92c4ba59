/**
 * The maximum number of callers whose requests are counted. If there are more callers, the one that was seen least
 * recently is forgotten, and begins again with a full bucket.
 */
const CALLERS_AT_MOST = 10_000;

/**
 * Limits the requests per second of each caller. A bucket holds as many requests as two seconds allow, and at least one.
 * Each process has its own buckets.
 */
export class RateLimit {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(private readonly perSecond: number) {}

  /**
   * Takes one request from the caller's bucket. @returns 0 if the request is allowed, or the number of seconds after
   * which the caller may try again
   */
  take(caller: string, now: number): number {
    const most = Math.max(1, this.perSecond * 2);
    const known = this.#buckets.get(caller) ?? { left: most, at: now };
    const left = Math.min(most, known.left + (Math.max(0, now - known.at) / 1_000) * this.perSecond);
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: left >= 1 ? left - 1 : left, at: now });
    if (this.#buckets.size > CALLERS_AT_MOST) this.#buckets.delete(this.#buckets.keys().next().value!);
    return left >= 1 ? 0 : Math.ceil((1 - left) / this.perSecond);
  }
}
