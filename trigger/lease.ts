/**
 * How long a start that was announced in the ledger may still be called. By the monotonic clock, which no correction of
 * the host's clock moves.
 */
export class Lease {
  readonly #endsAt: number;

  constructor(milliseconds: number) {
    this.#endsAt = performance.now() + milliseconds;
  }

  /** Milliseconds that are left; negative when it is over. */
  left(): number {
    return this.#endsAt - performance.now();
  }

  isOver(): boolean {
    return this.left() <= 0;
  }
}
