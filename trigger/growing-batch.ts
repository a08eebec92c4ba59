import type { TriggerLimits } from './context';

/** Behind a backlog a claim takes so many times a batch: what a transaction costs is shared by more. */
const CLAIM_GROWTH = 8;
/** Of a batch a look takes this part, until it finds enough. */
const LOOK_PART = 1 / 5;

/**
 * How many rows a pass takes at once: twice as many after each page that was worth it, and few again after one that was
 * not. A long page costs less a row; a short one lets what is more urgent in between, and is tried first.
 */
export class GrowingBatch {
  #size: number;

  constructor(
    private readonly first: number,
    private readonly atMost: number,
  ) {
    this.#size = first;
  }

  get size(): number {
    return this.#size;
  }

  grow(): void {
    this.#size = Math.min(this.atMost, this.#size * 2);
  }

  reset(): void {
    this.#size = this.first;
  }
}

/** Timers that one claim takes. */
export function claimBatch({ batchSize }: Pick<TriggerLimits, 'batchSize'>): GrowingBatch {
  return new GrowingBatch(batchSize, batchSize * CLAIM_GROWTH);
}

/** Open chains that one look takes. */
export function lookBatch({ batchSize }: Pick<TriggerLimits, 'batchSize'>): GrowingBatch {
  return new GrowingBatch(Math.ceil(batchSize * LOOK_PART), batchSize);
}
