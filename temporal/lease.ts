/**
 * How long a start that was announced in the ledger may still be called. By the monotonic clock, which no correction of
 * the host's clock moves, and by the host's, which goes on while the machine is suspended: whichever ends it first.
 */
export class Lease {
  readonly #endsAt: number[];

  constructor(
    milliseconds: number,
    private readonly clocks: (() => number)[] = [() => performance.now(), () => Date.now()],
  ) {
    this.#endsAt = clocks.map((now) => now() + milliseconds);
  }

  /** Milliseconds that are left; negative when it is over. */
  left(): number {
    return Math.min(...this.clocks.map((now, index) => this.#endsAt[index]! - now()));
  }

  isOver(): boolean {
    return this.left() <= 0;
  }
}
