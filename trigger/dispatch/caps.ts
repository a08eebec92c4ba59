import type { StartCap } from '../../store/table-values';

/** Starts a second that all triggers of a ledger together make at most. No cap without it. */
export interface StartCaps {
  /** By namespace. */
  namespaces?: Readonly<Record<string, number>>;
  /** By task queue, in whatever namespace. */
  taskQueues?: Readonly<Record<string, number>>;
}

/** A tenth of a second's starts may go at once; a whole one at least. */
const BURST_SECONDS = 0.1;

/** A cap that has let nothing go within so long has held it back all the time; one that others wait for is tried far more often. */
const HELD_BACK_WITHIN_MILLISECONDS = 5_000;

/** A cap that holds starts back. */
export type HoldingCap = ({ namespace: string } | { taskQueue: string }) & {
  /** Starts a second, of all triggers together. */
  perSecond: number;
  /** For how long it has. */
  forMilliseconds: number;
};

/** What the caps let go now, taken from them until it is given back. */
export interface Allowance {
  /** Starts in the namespace. */
  starts: number;
  /** How many of these starts go to each task queue that has a cap. */
  taskQueues: Map<string, number>;
}

/**
 * The caps on starts a second, as token buckets. Each trigger takes its share: the cap by the number of triggers that are
 * alive.
 */
export class CappedStarts {
  readonly #buckets = new Map<string, Bucket>();
  /** Triggers that share the caps. */
  triggers = 1;

  constructor(
    private readonly caps: StartCaps,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** All of them. */
  get all(): StartCap[] {
    const { namespaces = {}, taskQueues = {} } = this.caps;
    return [
      ...Object.entries(namespaces).map(([namespace, perSecond]) => ({ namespace, perSecond })),
      ...Object.entries(taskQueues).map(([taskQueue, perSecond]) => ({ taskQueue, perSecond })),
    ];
  }

  /** Whether one start may be made now; where it may, it counts. */
  admit({ namespace, taskQueue }: { namespace: string; taskQueue: string }): boolean {
    const buckets = [this.#ofNamespace(namespace), this.#ofQueue(taskQueue)].filter((bucket) => bucket !== undefined);
    if (buckets.some((bucket) => bucket.tokens < 1)) return false;
    for (const bucket of buckets) bucket.tokens -= 1;
    return true;
  }

  /** Take what may be started now in a namespace, `atMost` so many. */
  take(namespace: string, atMost: number): Allowance {
    const taskQueues = new Map<string, number>();
    const starts = this.#takeFrom(this.#ofNamespace(namespace), atMost);
    for (const name of Object.keys(this.caps.taskQueues ?? {}))
      taskQueues.set(name, this.#takeFrom(this.#ofQueue(name), starts));
    return { starts, taskQueues };
  }

  /** Give back what was not used of it. */
  giveBack(namespace: string, { starts, taskQueues }: Allowance, used: readonly { taskQueue: string }[]): void {
    const ofNamespace = this.#ofNamespace(namespace);
    if (ofNamespace) ofNamespace.tokens += starts - used.length;
    for (const [name, count] of taskQueues) {
      this.#ofQueue(name)!.tokens += count - used.filter(({ taskQueue }) => taskQueue === name).length;
    }
  }

  /** Milliseconds until the first cap that lets nothing go now lets one start go. */
  get pause(): number {
    const empty = [...this.#buckets.values()].filter(({ tokens }) => tokens < 1);
    return Math.min(...empty.map(({ tokens, perSecond }) => ((1 - tokens) / perSecond) * 1_000));
  }

  /** Caps that hold starts back now. */
  full(): HoldingCap[] {
    const now = this.monotonic();
    const isFull = ({ usedUpAt }: Bucket) => now - usedUpAt <= HELD_BACK_WITHIN_MILLISECONDS;
    const full = (names: Readonly<Record<string, number>> = {}, bucketOf: (name: string) => Bucket | undefined) =>
      Object.entries(names).flatMap(([name, perSecond]) => {
        const bucket = bucketOf(name);
        return bucket && isFull(bucket) ? [{ name, perSecond, forMilliseconds: now - bucket.usedUpSince }] : [];
      });
    const { namespaces, taskQueues } = this.caps;
    return [
      ...full(namespaces, (name) => this.#ofNamespace(name)).map(({ name, ...cap }) => ({ namespace: name, ...cap })),
      ...full(taskQueues, (name) => this.#ofQueue(name)).map(({ name, ...cap }) => ({ taskQueue: name, ...cap })),
    ];
  }

  /** Whole tokens, at most so many. */
  #takeFrom(bucket: Bucket | undefined, atMost: number): number {
    if (!bucket) return atMost;
    const taken = Math.max(0, Math.min(atMost, Math.floor(bucket.tokens)));
    if (taken === 0 && atMost > 0) {
      const now = this.monotonic();
      if (now - bucket.usedUpAt > HELD_BACK_WITHIN_MILLISECONDS) bucket.usedUpSince = now;
      bucket.usedUpAt = now;
    }
    bucket.tokens -= taken;
    return taken;
  }

  #ofNamespace(name: string): Bucket | undefined {
    return this.#fill(`namespace ${name}`, this.caps.namespaces?.[name]);
  }

  #ofQueue(name: string): Bucket | undefined {
    return this.#fill(`taskQueue ${name}`, this.caps.taskQueues?.[name]);
  }

  #fill(name: string, cap: number | undefined): Bucket | undefined {
    if (cap === undefined) return undefined;
    const perSecond = cap / this.triggers;
    const now = this.monotonic();
    const most = Math.max(1, perSecond * BURST_SECONDS);
    const bucket = this.#buckets.get(name) ?? { ...NEVER_USED_UP, tokens: most, filledAt: now, perSecond };
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
  /** When a start that asked last got none. */
  usedUpAt: number;
  /** Since when that happens again and again. */
  usedUpSince: number;
}

const NEVER_USED_UP = { usedUpAt: Number.NEGATIVE_INFINITY, usedUpSince: Number.NEGATIVE_INFINITY };
