/**
 * `answered`: the server has started a workflow. `busy`: the server refused the call because it is overloaded. `lost`: the
 * server gave no answer. `other`: any other end, or no call was made.
 */
export type CallEnd = 'answered' | 'busy' | 'lost' | 'other';

/** Measures elapsed time, in milliseconds. */
export type Monotonic = () => number;

/**
 * How many calls may queue inside the server. With fewer than `few` queued calls the limit grows, with more than `many`
 * it shrinks. The number is estimated from how much the latency exceeds the best latency seen.
 */
const QUEUED_IN_SERVER = { few: 12, many: 24 };
/** A burst of as many starts as may queue in the server is not held back. */
const FIRST_LIMIT = QUEUED_IN_SERVER.many;
/**
 * The limit is multiplied by this for firings that are on time, unless the server was overloaded in the last half
 * minute. A burst is soon over, and a simple loop in a user's own code would have as many calls in progress. A backlog
 * takes longer, and must not slow down running workflows.
 */
const ON_TIME_TIMES = 3;
/**
 * The best latency is forgotten after this time, so that a server that has become slower does not count as busy. That
 * the server was overloaded is forgotten after this time too.
 */
const KEPT_MILLISECONDS = 30_000;
/** A call that is lost earlier met no server. That shows no load: an overloaded server is silent until the deadline. */
const SILENT_MILLISECONDS = 1_000;
/** Calls that end within this time are counted together. */
const COUNTED_MILLISECONDS = 10;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 2_000;

/**
 * Limits the concurrent start calls to one namespace, so that few of them queue inside the server. The limit grows
 * while the latency stays low, and shrinks when the latency rises. It halves when the server is too busy for a call. It
 * also halves when as many calls as it allows are in progress, and more calls wait for an answer in vain than start a
 * workflow. The limit is higher for firings that are on time. All batches of a trigger share the gate, and pass it in the
 * order in which they ask.
 *
 * @see https://en.wikipedia.org/wiki/TCP_Vegas
 */
export class StartGate {
  #limit: number;
  #inFlight = 0;
  readonly #waiting: { isOnTime: boolean; go: () => void }[] = [];
  #best: { latency: number; seenAt: number } | undefined;
  #latency: number | undefined;
  /** How many calls of the last half minute were answered, and how many waited in vain, by when they ended. */
  readonly #ended: { from: number; answered: number; silent: number }[] = [];
  #pause = FIRST_PAUSE_MILLISECONDS;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #overloadedAt = Number.NEGATIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly cap: number,
    private readonly monotonic: Monotonic = () => performance.now(),
  ) {
    this.#limit = Math.min(cap, FIRST_LIMIT);
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /**
   * Whether calls wait for others to end, or at least as many calls are in progress as `limit` allows. A single call
   * says nothing about the load.
   */
  get isLoaded(): boolean {
    return this.#waiting.length > 0 || (this.#inFlight > 1 && this.#inFlight >= this.limit);
  }

  /** Whether the server was overloaded within the last half minute. */
  get isOverloaded(): boolean {
    return this.monotonic() - this.#overloadedAt <= KEPT_MILLISECONDS;
  }

  /** Milliseconds until a server that was too busy may be called again; 0 if it may be called now. */
  get pause(): number {
    return Math.max(0, this.#pausedUntil - this.monotonic());
  }

  /**
   * Resolves when a call may be made. {@link leave} must follow, even if no call is made.
   *
   * @param isOnTime whether the call is for a firing that is on time
   */
  enter(isOnTime: boolean): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ isOnTime, go });
      this.#letIn();
    });
  }

  /** @param latency the latency of the call, in milliseconds */
  leave(end: CallEnd, latency: number): void {
    const isSilence = end === 'lost' && latency >= SILENT_MILLISECONDS;
    if (isSilence) this.#count('silent');
    if (end === 'answered') {
      this.#count('answered');
      this.#adapt(latency);
    }
    if (end === 'busy') this.#startPause();
    if (end === 'busy' || (isSilence && this.#isMostlySilent(latency))) this.#halve(latency);
    this.#inFlight -= 1;
    this.#letIn();
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const times = next.isOnTime && !this.isOverloaded ? ON_TIME_TIMES : 1;
      if (this.#inFlight >= Math.min(this.cap, times * this.limit)) return;
      this.#waiting.shift();
      this.#inFlight += 1;
      next.go();
    }
  }

  #adapt(latency: number): void {
    const now = this.monotonic();
    this.#pause = FIRST_PAUSE_MILLISECONDS;
    this.#latency = this.#latency === undefined ? latency : this.#latency * 0.9 + latency * 0.1;
    const isBest = !this.#best || latency <= this.#best.latency;
    if (isBest || now - this.#best!.seenAt > KEPT_MILLISECONDS) this.#best = { latency, seenAt: now };
    // The limit changes only while it is reached: otherwise nothing shows whether it fits.
    if (this.#inFlight < this.limit) return;
    const queued = this.#limit * (1 - this.#best!.latency / Math.max(this.#latency, this.#best!.latency));
    if (queued < QUEUED_IN_SERVER.few) this.#limit = Math.min(this.cap, this.#limit + 1 / this.#limit);
    // This step never brings the limit near one: it applies only while more than 24 calls queue, and never more calls
    // queue than the limit allows.
    else if (queued > QUEUED_IN_SERVER.many) this.#limit -= 1 / this.#limit;
  }

  /** Refusals during a pause do not prolong it: their calls were in progress together with the one that began it. */
  #startPause(): void {
    if (this.pause > 0) return;
    this.#pausedUntil = this.monotonic() + this.#pause;
    this.#pause = Math.min(LONGEST_PAUSE_MILLISECONDS, this.#pause * 2);
  }

  #count(end: 'answered' | 'silent'): void {
    const now = this.monotonic();
    const last = this.#ended.at(-1);
    const isSame = last !== undefined && now < last.from + COUNTED_MILLISECONDS;
    const counts = isSame ? last : { from: now, answered: 0, silent: 0 };
    if (!isSame) this.#ended.push(counts);
    counts[end] += 1;
    while (this.#ended[0]!.from < now - KEPT_MILLISECONDS) this.#ended.shift();
  }

  /**
   * Whether fewer calls were answered than lost while a lost call waited. Otherwise only a part of the server may be
   * silent, such as one of several hosts, and calls to the other parts go on as before. While fewer calls than the limit
   * are in progress, nothing shows whether it fits.
   */
  #isMostlySilent(latency: number): boolean {
    if (this.#inFlight < this.limit) return false;
    const sentAt = this.monotonic() - latency;
    let [answered, silent] = [0, 0];
    for (const ended of this.#ended) {
      if (ended.from <= sentAt) continue;
      answered += ended.answered;
      silent += ended.silent;
    }
    return silent > answered;
  }

  /** Calls that were in progress at the last halving count as one with the call that caused it. */
  #halve(latency: number): void {
    const now = this.monotonic();
    this.#overloadedAt = now;
    if (now - latency < this.#halvedAt) return;
    this.#halvedAt = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }
}

/** One gate for each namespace, since namespaces may lie on different servers. */
export class StartGates {
  readonly #gates = new Map<string, StartGate>();

  constructor(private readonly cap: number) {}

  of(namespace: string): StartGate {
    const known = this.#gates.get(namespace);
    if (known) return known;
    const gate = new StartGate(this.cap);
    this.#gates.set(namespace, gate);
    return gate;
  }
}
