/** How a call that was let through ended. `busy`: the server refused it for having too much to do. */
export type CallEnd = 'answered' | 'busy' | 'unanswered';

/** Measures elapsed time, in milliseconds. */
export type Monotonic = () => number;

const FIRST_LIMIT = 16;
/**
 * How many calls may wait inside the server: below the first more are let in, above the second fewer. What waits there is
 * what the latency has grown by over the best one seen.
 */
const QUEUED_IN_SERVER = { few: 12, many: 24 };
/** The best latency is of this long ago at most: a server that is slower today is not taken for one that is busy. */
const BEST_LATENCY_KEPT_MILLISECONDS = 30_000;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 2_000;

/**
 * Lets start calls to one namespace through, as many at a time as the server takes without their waiting in it. The
 * limit grows while latency holds, shrinks when it rises, and halves when the server refuses. Shared by all batches of
 * a trigger, in the order of asking.
 *
 * @see https://en.wikipedia.org/wiki/TCP_Vegas
 */
export class StartGate {
  #limit: number;
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];
  #best: { latency: number; seenAt: number } | undefined;
  #latency = 0;
  #pause = FIRST_PAUSE_MILLISECONDS;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    /** Calls at once at most. */
    private readonly cap: number,
    private readonly monotonic: Monotonic = () => performance.now(),
  ) {
    this.#limit = Math.min(cap, FIRST_LIMIT);
  }

  /** Calls at once by now. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Whether calls wait for others to end. */
  get isCrowded(): boolean {
    return this.#waiting.length > 0;
  }

  /** Milliseconds until the server is asked again after it refused; 0 when it may be now. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - this.monotonic());
  }

  /** Resolves when a call may be made. Each one is followed by {@link leave}. */
  enter(): Promise<void> {
    if (this.#waiting.length === 0 && this.#inFlight < this.limit) {
      this.#inFlight += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** @param latency of the call, in milliseconds */
  leave(end: CallEnd, latency: number): void {
    this.#inFlight -= 1;
    if (end === 'answered') this.#adapt(latency);
    if (end === 'busy') this.#backOff();
    while (this.#waiting.length > 0 && this.#inFlight < this.limit) {
      this.#inFlight += 1;
      this.#waiting.shift()!();
    }
  }

  #adapt(latency: number): void {
    const now = this.monotonic();
    this.#pause = FIRST_PAUSE_MILLISECONDS;
    this.#latency = this.#latency === 0 ? latency : this.#latency * 0.9 + latency * 0.1;
    const isBest = !this.#best || latency <= this.#best.latency;
    if (isBest || now - this.#best!.seenAt > BEST_LATENCY_KEPT_MILLISECONDS) this.#best = { latency, seenAt: now };
    // Only what fills the gate says whether it is too narrow.
    if (!this.isCrowded && this.#inFlight + 1 < this.limit) return;
    const queued = this.#limit * (1 - this.#best!.latency / Math.max(this.#latency, this.#best!.latency));
    if (queued < QUEUED_IN_SERVER.few) this.#limit = Math.min(this.cap, this.#limit + 1 / this.#limit);
    else if (queued > QUEUED_IN_SERVER.many) this.#limit = Math.max(1, this.#limit - 1 / this.#limit);
  }

  /** Calls that were under way together are refused together, and count once. */
  #backOff(): void {
    if (this.pause > 0) return;
    this.#limit = Math.max(1, this.#limit / 2);
    this.#pausedUntil = this.monotonic() + this.#pause;
    this.#pause = Math.min(LONGEST_PAUSE_MILLISECONDS, this.#pause * 2);
  }
}
