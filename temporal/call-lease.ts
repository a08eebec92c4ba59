/**
 * How long a call that was announced in the ledger may still be made. The lease ends when the first of two clocks says
 * so. Corrections of the host's clock do not move the monotonic clock; the host's clock continues while the machine is
 * suspended.
 */
export class CallLease {
  readonly #endsAt: number[];

  constructor(
    milliseconds: number,
    private readonly clocks: (() => number)[] = [() => performance.now(), () => Date.now()],
  ) {
    this.#endsAt = clocks.map((now) => now() + milliseconds);
  }

  /** How many milliseconds of the lease are left; 0 or less once it is over. */
  left(): number {
    return Math.min(...this.clocks.map((now, index) => this.#endsAt[index]! - now()));
  }

  isOver(): boolean {
    return this.left() <= 0;
  }
}
