import type { TriggerLimits } from '../limits';

/** Behind a backlog a claim takes so many times a batch: what a transaction costs is shared by more. */
const CLAIM_GROWTH = 8;
/**
 * How many rows a pass takes at once: twice as many after each page that was worth it. A long page costs less a row; a
 * short one lets what is more urgent in between, and is tried first.
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

  /** There is little to do. */
  reset(): void {
    this.#size = this.first;
    this.#atMost = this.most;
  }

  /** The last page failed, maybe since it was too much: until there is little to do, only half of it is tried again. */
  fail(): void {
    this.#atMost = Math.max(this.first, Math.floor(this.#size / 2));
    this.#size = this.first;
  }
}

/** Timers that one claim takes. */
export function claimBatch({ batchSize }: Pick<TriggerLimits, 'batchSize'>): GrowingBatch {
  return new GrowingBatch(batchSize, batchSize * CLAIM_GROWTH);
}
