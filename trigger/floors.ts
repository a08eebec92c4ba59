import { DEFAULTS } from '../core/defaults';
import type { Below, Queue } from '../store/firings/below';
import { BEFORE_OTHERS_MILLISECONDS } from '../store/firings/interrupt';

/**
 * Floors stay this far behind. A change becomes visible at most two seconds after the instant that it wrote; later ones
 * are found by the next read below the floor. If a schedule missed more than one pass takes, the instant is older than
 * the on-time limit.
 */
const LATE_MILLISECONDS = DEFAULTS.onTimeMilliseconds + 2_000;

/**
 * The time from which due rows are read. Index entries of rows that have left the queue stay while somebody keeps a
 * snapshot open, and a read from the beginning would scan all of them. This is a hint: a rare read finds the rows left
 * below the floor (`recover/lower-floors.ts`).
 */
export class Floor {
  #from: number | undefined;

  /** @param lateMilliseconds how far in the past the instant of a row that becomes due may lie at most */
  constructor(private readonly lateMilliseconds = LATE_MILLISECONDS) {}

  /** The start of a read at `now`; undefined for the beginning. */
  at(now: number): Date | undefined {
    // If the clock was set back, this keeps the floor from hiding rows.
    return this.#from === undefined ? undefined : new Date(Math.min(this.#from, now - this.lateMilliseconds));
  }

  /**
   * A read at `now` has left no due row, not even one that another trigger holds.
   *
   * @param from the time from which it read
   */
  raise(now: number, from: Date | undefined): void {
    // Meanwhile a row was found below the floor.
    if (from !== undefined && this.#from !== undefined && this.#from < from.getTime()) return;
    this.#from = Math.max(this.#from ?? Number.NEGATIVE_INFINITY, now - this.lateMilliseconds);
  }

  /** A row was found that is due at this instant. */
  lower(first: Date): void {
    if (this.#from !== undefined) this.#from = Math.min(this.#from, first.getTime());
  }
}

/** The floor of each queue. */
export class Floors implements Record<Queue, Floor> {
  readonly timers = new Floor();
  /** For checks of announced starts. */
  readonly claimed = new Floor();
  /** For polls of open chains. */
  readonly linked = new Floor(LATE_MILLISECONDS + BEFORE_OTHERS_MILLISECONDS);
  /** For polls of ended chains. */
  readonly closed = new Floor();

  /** The times from which reads at `now` begin. */
  at(now: number): Record<Queue, Date | undefined> {
    const { timers, claimed, linked, closed } = this;
    return { timers: timers.at(now), claimed: claimed.at(now), linked: linked.at(now), closed: closed.at(now) };
  }

  /** Lower the floors to the rows that a read below them has found. */
  lower(first: Below['first']): void {
    for (const [queue, at] of Object.entries(first)) if (at) this[queue as Queue].lower(at);
  }
}
