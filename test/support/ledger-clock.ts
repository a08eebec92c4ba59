/** A clock that only advances when it is told to. */
export class ManualClock {
  #now: number;
  constructor(start: string) {
    this.#now = Date.parse(start);
  }
  now(): number {
    return this.#now;
  }
  set(instant: string): void {
    this.#now = Date.parse(instant);
  }
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
