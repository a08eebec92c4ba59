import type { StartCap } from '../../store/table-values';

/**
 * Starts per second of all triggers of a ledger together, on average. Each live trigger has an equal share, and may
 * make at least one start at a time. All triggers need the same caps. Starts that recovery calls again are not counted.
 * A namespace or task queue without an entry has no cap.
 */
export interface StartCaps {
  /** Caps by namespace. */
  namespaces?: Readonly<Record<string, number>>;
  /** Caps by task queue, in any namespace. */
  taskQueues?: Readonly<Record<string, number>>;
}

/** A burst of a tenth of a second's starts is allowed, and always at least one. */
const BURST_SECONDS = 0.1;

/** For this long after it has refused a start, a cap is reported as the reason why starts wait. */
const HELD_BACK_WITHIN_MILLISECONDS = 5_000;

export type HoldingCap = ({ namespace: string } | { taskQueue: string }) & {
  /** The limit of starts per second, for all triggers together. */
  perSecond: number;
  /** How long the cap has held starts back. */
  forMilliseconds: number;
};

/** Starts that the caps allow now. The caps count these starts as made, unless they are given back. */
export interface Allowance {
  starts: number;
  /** Starts allowed for each task queue that has a cap. */
  taskQueues: Map<string, number>;
}

/** What a take used of its allowance, and whether a cap may have held back a waiting firing. */
export interface UsedStarts {
  firings: readonly { taskQueue: string }[];
  isHeldBack: boolean;
}

/** The caps on starts per second, as token buckets. */
export class CappedStarts {
  readonly #buckets = new Map<string, Bucket>();
  /** By namespace: when one of the caps that the last take used up first allows a start again. */
  readonly #freeAt = new Map<string, number>();
  triggers = 1;

  constructor(
    private readonly caps: StartCaps,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  get all(): StartCap[] {
    const { namespaces = {}, taskQueues = {} } = this.caps;
    return [
      ...Object.entries(namespaces).map(([namespace, perSecond]) => ({ namespace, perSecond })),
      ...Object.entries(taskQueues).map(([taskQueue, perSecond]) => ({ taskQueue, perSecond })),
    ];
  }

  /** Whether one start may be made now. If so, it is counted. */
  admit({ namespace, taskQueue }: { namespace: string; taskQueue: string }): boolean {
    const buckets = [this.#ofNamespace(namespace), this.#ofQueue(taskQueue)].filter((bucket) => bucket !== undefined);
    if (buckets.some((bucket) => bucket.tokens < 1)) return false;
    for (const bucket of buckets) bucket.tokens -= 1;
    return true;
  }

  take(namespace: string, atMost: number): Allowance {
    const taskQueues = new Map<string, number>();
    const ofNamespace = this.#ofNamespace(namespace);
    const starts = this.#takeFrom(ofNamespace, atMost);
    if (ofNamespace && starts === 0) {
      this.#refused(ofNamespace, namespace);
      this.#usedUp(namespace, [ofNamespace]);
    }
    for (const name of Object.keys(this.caps.taskQueues ?? {}))
      taskQueues.set(name, this.#takeFrom(this.#ofQueue(name), starts));
    return { starts, taskQueues };
  }

  /**
   * Give back the starts that a take did not use. A cap that gets some back holds nothing back in this namespace. If a
   * task queue's cap allowed no start, that is noted only here, and only if the take left firings that a cap held back:
   * usually no firing waits for that task queue.
   *
   * @param page what was taken; undefined if the take failed
   */
  giveBack(namespace: string, { starts, taskQueues }: Allowance, page: UsedStarts | undefined): void {
    const used = page?.firings ?? [];
    const usedUp: Bucket[] = [];
    const settle = (bucket: Bucket, left: number) => {
      bucket.tokens += left;
      if (left === 0) usedUp.push(bucket);
      if (page && left > 0) bucket.refusals.delete(namespace);
    };
    const ofNamespace = this.#ofNamespace(namespace);
    if (ofNamespace) settle(ofNamespace, starts - used.length);
    for (const [name, count] of taskQueues) {
      const bucket = this.#ofQueue(name)!;
      settle(bucket, count - used.filter(({ taskQueue }) => taskQueue === name).length);
      if (count === 0 && page?.isHeldBack) this.#refused(bucket, namespace);
    }
    this.#usedUp(namespace, usedUp);
  }

  /** Milliseconds until one of the caps that the last take of a namespace used up allows a start again. */
  pauseOf(namespace: string): number {
    return Math.max(0, (this.#freeAt.get(namespace) ?? 0) - this.monotonic());
  }

  full(): HoldingCap[] {
    const now = this.monotonic();
    const full = (names: Readonly<Record<string, number>> = {}, bucketOf: (name: string) => Bucket | undefined) =>
      Object.entries(names).flatMap(([name, perSecond]) => {
        const refusals = [...bucketOf(name)!.refusals.values()];
        const current = refusals.filter(({ at }) => now - at <= HELD_BACK_WITHIN_MILLISECONDS);
        if (current.length === 0) return [];
        return [{ name, perSecond, forMilliseconds: now - Math.min(...current.map(({ since }) => since)) }];
      });
    const { namespaces, taskQueues } = this.caps;
    return [
      ...full(namespaces, (name) => this.#ofNamespace(name)).map(({ name, ...cap }) => ({ namespace: name, ...cap })),
      ...full(taskQueues, (name) => this.#ofQueue(name)).map(({ name, ...cap }) => ({ taskQueue: name, ...cap })),
    ];
  }

  #takeFrom(bucket: Bucket | undefined, atMost: number): number {
    if (!bucket) return atMost;
    const taken = Math.max(0, Math.min(atMost, Math.floor(bucket.tokens)));
    bucket.tokens -= taken;
    return taken;
  }

  /** A bucket may have filled up while the take was in progress: then the next take may begin at once. */
  #usedUp(namespace: string, buckets: Bucket[]): void {
    const pauses = buckets.map(({ tokens, perSecond }) => ((1 - tokens) / perSecond) * 1_000);
    this.#freeAt.set(namespace, this.monotonic() + (pauses.length > 0 ? Math.min(...pauses) : 0));
  }

  #refused({ refusals }: Bucket, namespace: string): void {
    const now = this.monotonic();
    const last = refusals.get(namespace);
    const isSame = last !== undefined && now - last.at <= HELD_BACK_WITHIN_MILLISECONDS;
    refusals.set(namespace, { at: now, since: isSame ? last.since : now });
  }

  #ofNamespace(name: string): Bucket | undefined {
    return this.#fill(`namespace ${name}`, capOf(this.caps.namespaces, name));
  }

  #ofQueue(name: string): Bucket | undefined {
    return this.#fill(`taskQueue ${name}`, capOf(this.caps.taskQueues, name));
  }

  #fill(name: string, cap: number | undefined): Bucket | undefined {
    if (cap === undefined) return undefined;
    const perSecond = cap / this.triggers;
    const now = this.monotonic();
    const most = Math.max(1, perSecond * BURST_SECONDS);
    const bucket = this.#buckets.get(name) ?? { tokens: most, filledAt: now, perSecond, refusals: new Map() };
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.filledAt) / 1_000) * perSecond);
    bucket.filledAt = now;
    bucket.perSecond = perSecond;
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

interface Bucket {
  tokens: number;
  filledAt: number;
  perSecond: number;
  /** By namespace: when the cap last refused starts (`at`), and since when it has kept refusing them (`since`). */
  refusals: Map<string, { at: number; since: number }>;
}

/** The cap of a name, which may also be one that every object has, such as `constructor`. */
function capOf(caps: Readonly<Record<string, number>> = {}, name: string): number | undefined {
  return Object.hasOwn(caps, name) ? caps[name] : undefined;
}
