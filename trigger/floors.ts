import { DEFAULTS } from '../core/defaults';
import type { Below, Queue } from '../store/firings/below';
import { BEFORE_OTHERS_MILLISECONDS } from '../store/firings/interrupt';

/**
 * How far a floor stays behind the current time. If a schedule missed more occurrences than one pass takes, the pass
 * writes a wake time in the past, by hardly more than the on-time limit. Two more seconds are left for written rows to
 * become visible.
 */
const LATE_MILLISECONDS = DEFAULTS.onTimeMilliseconds + 2_000;

/**
 * The floor of a queue: the time from which a pass reads due rows. While somebody keeps a snapshot open, the index
 * keeps entries of rows that have left the queue, and a read from the beginning would scan all of them. The floor is
 * only a hint: another pass finds rows that were left below it (`recover/lower-floors.ts`).
 */
export class Floor {
  #from: number | undefined;

  /** @param lateMilliseconds how far in the past the instant of a row may lie when the row is written */
  constructor(private readonly lateMilliseconds = LATE_MILLISECONDS) {}

  /** The time from which a read at `now` begins; undefined to read from the beginning. */
  at(now: number): Date | undefined {
    // If the clock was set back, the floor must not hide rows.
    return this.#from === undefined ? undefined : new Date(Math.min(this.#from, now - this.lateMilliseconds));
  }

  /** Record that a read at `now` left no due row, except perhaps rows that another session had locked. */
  raise(now: number, from: Date | undefined): void {
    // If a row was found below the floor while the read ran, the floor stays.
    if (from !== undefined && this.#from !== undefined && this.#from < from.getTime()) return;
    this.#from = Math.max(this.#from ?? Number.NEGATIVE_INFINITY, now - this.lateMilliseconds);
  }

  lower(first: Date): void {
    if (this.#from !== undefined) this.#from = Math.min(this.#from, first.getTime());
  }
}

export class Floors implements Record<Queue, Floor> {
  readonly timers = new Floor();
  /** The floor for checks of announced starts. */
  readonly claimed = new Floor();
  /** The floor for polls of open chains. */
  readonly linked = new Floor(LATE_MILLISECONDS + BEFORE_OTHERS_MILLISECONDS);
  /** The floor for polls of ended chains. */
  readonly closed = new Floor();

  at(now: number): Record<Queue, Date | undefined> {
    const { timers, claimed, linked, closed } = this;
    return { timers: timers.at(now), claimed: claimed.at(now), linked: linked.at(now), closed: closed.at(now) };
  }

  lower(first: Below['first']): void {
    for (const [queue, at] of Object.entries(first)) if (at) this[queue as Queue].lower(at);
  }
}
