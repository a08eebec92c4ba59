import { DEFAULTS } from '../core/defaults';
import type { Below, Queue } from '../store/firings/below';
import { BEFORE_OTHERS_MILLISECONDS } from '../store/firings/interrupt';

/**
 * A change becomes visible two seconds after the instant it wrote at most, or is found by the next read below. Where more of a
 * schedule was missed than one pass takes, the instant is from before what counts as on time.
 */
const LATE_MILLISECONDS = DEFAULTS.onTimeMilliseconds + 2_000;

/**
 * From where what is due is read. Index entries of what has moved on stay for as long as somebody keeps a snapshot open, and a read
 * from the beginning passes over all of them. A hint: what is left below is found by a rare read (`recover/lower-floors.ts`).
 */
export class Floor {
  #from: number | undefined;

  /** @param lateMilliseconds what becomes due is written with an instant so long ago at most */
  constructor(private readonly lateMilliseconds = LATE_MILLISECONDS) {}

  /** Where a read at `now` begins; undefined for the beginning. */
  at(now: number): Date | undefined {
    // A clock that was set back leaves nothing out for longer than it is late.
    return this.#from === undefined ? undefined : new Date(Math.min(this.#from, now - this.lateMilliseconds));
  }

  /**
   * A read at `now` has left nothing that was due, not even to another trigger.
   *
   * @param from where it began
   */
  raise(now: number, from: Date | undefined): void {
    // Something was found below it meanwhile.
    if (from !== undefined && this.#from !== undefined && this.#from < from.getTime()) return;
    this.#from = Math.max(this.#from ?? Number.NEGATIVE_INFINITY, now - this.lateMilliseconds);
  }

  /** Something was found that is due at this instant. */
  lower(first: Date): void {
    if (this.#from !== undefined) this.#from = Math.min(this.#from, first.getTime());
  }
}

/** The floor of each queue. */
export class Floors implements Record<Queue, Floor> {
  readonly timers = new Floor();
  /** Checks of announced starts. */
  readonly claimed = new Floor();
  /** Polls of open chains. */
  readonly linked = new Floor(LATE_MILLISECONDS + BEFORE_OTHERS_MILLISECONDS);
  /** Polls of ended chains. */
  readonly closed = new Floor();

  /** Where reads at `now` begin. */
  at(now: number): Record<Queue, Date | undefined> {
    const { timers, claimed, linked, closed } = this;
    return { timers: timers.at(now), claimed: claimed.at(now), linked: linked.at(now), closed: closed.at(now) };
  }

  /** What a read below them has found. */
  lower(first: Below['first']): void {
    for (const [queue, at] of Object.entries(first)) if (at) this[queue as Queue].lower(at);
  }
}
