import type { Clock } from '../trigger/clock';

/** A clock that stands still until it is set; it never goes back. */
export class VirtualClock implements Clock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  set(instant: number): void {
    this.#now = Math.max(this.#now, instant);
  }
}
