/** Starts of a stretch under full load that say how fast starts go. */
const STARTS_TO_MEASURE = 50;
/** Without a start for so long there was no load. */
const IDLE_MILLISECONDS = 1_000;

/**
 * How many starts a second this trigger makes when it has as many to make as it likes: what the lookahead of pre-start is
 * computed with. Measured only while starts wait for their turn, since an idle server says nothing.
 */
export class StartRate {
  #perSecond: number;
  #stretch: { from: number; starts: number; lastAt: number } | undefined;

  constructor(
    /** Until it has been measured. */
    assumed: number,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    this.#perSecond = assumed;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** A start was answered. @param loaded whether others waited for their turn meanwhile */
  started(loaded: boolean): void {
    if (!loaded) {
      this.#stretch = undefined;
      return;
    }
    const now = this.monotonic();
    if (!this.#stretch || now - this.#stretch.lastAt > IDLE_MILLISECONDS)
      this.#stretch = { from: now, starts: 0, lastAt: now };
    this.#stretch.starts += 1;
    this.#stretch.lastAt = now;
    const { from, starts } = this.#stretch;
    if (starts < STARTS_TO_MEASURE) return;
    const seconds = Math.max(0.001, (now - from) / 1_000);
    this.#perSecond = (this.#perSecond + starts / seconds) / 2;
    this.#stretch = undefined;
  }
}
