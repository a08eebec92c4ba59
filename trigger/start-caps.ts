import type { QueuedClaim } from './queued-claim';

/** Starts a second that all triggers of a ledger together make at most. No cap without it. */
export interface StartCaps {
  /** By namespace. */
  namespaces?: Readonly<Record<string, number>>;
  /** By task queue, in whatever namespace. */
  taskQueues?: Readonly<Record<string, number>>;
}

/** A tenth of a second's starts may go at once; a whole one at least. */
const BURST_SECONDS = 0.1;

/**
 * The caps on starts a second, as token buckets. Each trigger takes its share: the cap by the number of triggers that are
 * alive.
 */
export class CappedStarts {
  readonly #buckets = new Map<string, { tokens: number; filledAt: number }>();
  /** Triggers that share the caps. */
  triggers = 1;

  constructor(
    private readonly caps: StartCaps,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** Whether a claim may be started now; where it may, it counts. */
  admit(claim: Pick<QueuedClaim, 'namespace' | 'taskQueue'>): boolean {
    const buckets = this.#of(claim);
    if (buckets.some((bucket) => bucket.tokens < 1)) return false;
    for (const bucket of buckets) bucket.tokens -= 1;
    return true;
  }

  #of({ namespace, taskQueue }: Pick<QueuedClaim, 'namespace' | 'taskQueue'>) {
    const buckets = [];
    for (const [name, cap] of [
      [`namespace ${namespace}`, this.caps.namespaces?.[namespace]],
      [`taskQueue ${taskQueue}`, this.caps.taskQueues?.[taskQueue]],
    ] as const) {
      if (cap !== undefined) buckets.push(this.#fill(name, cap / this.triggers));
    }
    return buckets;
  }

  #fill(name: string, perSecond: number) {
    const now = this.monotonic();
    const most = Math.max(1, perSecond * BURST_SECONDS);
    const known = this.#buckets.get(name) ?? { tokens: most, filledAt: now };
    const bucket = {
      tokens: Math.min(most, known.tokens + ((now - known.filledAt) / 1_000) * perSecond),
      filledAt: now,
    };
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
