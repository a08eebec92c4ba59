/** The rate is measured over this many starts under full load. */
const STARTS_TO_MEASURE = 50;
/** If no start was made for this long, the trigger was not under load. */
const IDLE_MILLISECONDS = 1_000;

/**
 * How many starts per second this trigger can make. Pre-start computes its lookahead from this rate. The rate is
 * measured only while starts load the server, since an idle server does not show its limit.
 */
export class StartRate {
  #perSecond: number;
  #stretch: { from: number; starts: number; lastAt: number } | undefined;

  constructor(
    assumed: number,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    this.#perSecond = assumed;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** Record that Temporal answered a start. @param loaded whether starts load the server, so that the answer counts */
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
