import type { TriggerLimits } from '../limits';

/** After an outage, a claim takes up to this many batches at once: more firings then share the cost of a transaction. */
const CLAIM_GROWTH = 8;
/**
 * How many rows a pass takes at once. The number doubles after each batch that was worth it. A large batch costs less per
 * row. A small batch lets urgent work in between, and is tried first.
 */
export class GrowingBatch {
  #size: number;
  #atMost: number;

  constructor(
    private readonly first: number,
    private readonly most: number,
  ) {
    this.#size = first;
    this.#atMost = most;
  }

  get size(): number {
    return this.#size;
  }

  grow(): void {
    this.#size = Math.min(this.#atMost, this.#size * 2);
  }

  /** Start small again, since there is little to do. */
  reset(): void {
    this.#size = this.first;
    this.#atMost = this.most;
  }

  /** The last batch failed, maybe because it was too large. Try only half of it until there is little to do. */
  fail(): void {
    this.#atMost = Math.max(this.first, Math.floor(this.#size / 2));
    this.#size = this.first;
  }
}

/** The number of timers that one claim takes. */
export function claimBatch({ batchSize }: Pick<TriggerLimits, 'batchSize'>): GrowingBatch {
  return new GrowingBatch(batchSize, batchSize * CLAIM_GROWTH);
}
