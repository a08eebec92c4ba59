import type { ObservedFiring } from '../../store/firings/observe';
import { GrowingBatch } from '../claim/growing-batch';
import type { TriggerLimits } from '../limits';

/** Of a batch a look takes this part, until it finds enough. */
const FIRST_PART = 1 / 5;
/** The share of chains that have ended from which a page of looks is worth the next one at once. */
const WORTH_SHARE = 0.25;
/**
 * Looks that are not worth it are put off no longer than this. With a quarter of it tens of thousands that wait for a worker
 * were looked at so often that it took the worker's share of the machine: `docs/performance.md`.
 */
const LATE_MILLISECONDS = 60_000;
/** After somebody waited for one, none is put off for so long. */
const AWAITED_MILLISECONDS = 5_000;

/** What a page of looks found. */
export interface LooksFound {
  open: Pick<ObservedFiring, 'dueAt' | 'isAwaited'>[];
  closed: number;
  unanswered: number;
  /** When it was taken, in milliseconds. */
  now: number;
}

/**
 * How many open chains one look takes, and whether the next follows at once. Behind a stampede thousands of chains wait for a
 * worker: asking Temporal for each of them each second would slow down what they wait for. While few are found to have
 * ended, a short page a second is enough, unless looks fall behind or somebody waits for an end.
 */
export class LookPace {
  readonly #batch: GrowingBatch;
  #awaitedAt = Number.NEGATIVE_INFINITY;

  constructor({ batchSize }: Pick<TriggerLimits, 'batchSize'>) {
    this.#batch = new GrowingBatch(Math.ceil(batchSize * FIRST_PART), batchSize);
  }

  get size(): number {
    return this.#batch.size;
  }

  /** Whether so many were taken that others may be due as well. */
  isFull(taken: readonly unknown[]): boolean {
    return taken.length >= this.size;
  }

  /** @returns whether to look further at once */
  after({ open, closed, unanswered, now }: LooksFound): boolean {
    if (open.some(({ isAwaited }) => isAwaited)) this.#awaitedAt = now;
    const answered = open.length - unanswered;
    const dueAt = Math.min(...open.map((firing) => firing.dueAt.getTime()));
    const isUrgent = now - dueAt > LATE_MILLISECONDS || now - this.#awaitedAt <= AWAITED_MILLISECONDS;
    const isWorth = answered > 0 && (isUrgent || closed >= answered * WORTH_SHARE);
    const more = this.isFull(open) && isWorth;
    if (more) this.#batch.grow();
    else this.#batch.reset();
    return more;
  }
}
