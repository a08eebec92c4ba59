import type { TriggerLimits } from '../limits';

/** A batch grows to at most this many times its first size. */
const CLAIM_GROWTH = 8;
/**
 * The number of timers that a claim reads at once. A large batch costs less per row. After a small batch, urgent work
 * gets its turn sooner, so claims begin with small batches.
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

  /** Begin with small batches again, since there is little to do. */
  reset(): void {
    this.#size = this.first;
    this.#atMost = this.most;
  }

  /**
   * Record that the last batch failed, maybe because it was too large. Begin with small batches again, and until
   * {@link reset} grow only to half of the size that failed.
   */
  fail(): void {
    this.#atMost = Math.max(this.first, Math.floor(this.#size / 2));
    this.#size = this.first;
  }
}

export function claimBatch({ batchSize }: Pick<TriggerLimits, 'batchSize'>): GrowingBatch {
  return new GrowingBatch(batchSize, batchSize * CLAIM_GROWTH);
}
