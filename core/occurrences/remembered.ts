import type { CompiledSpec } from './compiled';

interface Stretch {
  from: number;
  to: number;
}

const STRETCHES_AT_MOST = 8;

/**
 * A spec that remembers ranges of time without occurrences. If thousands of schedules with the same spec are due at the
 * same instant, their next time need not be computed for each. The remembered answers are exact, since every instant of
 * such a range has the same next or previous occurrence.
 */
export class RememberedSpec implements CompiledSpec {
  /** Ranges `(from, to)` without an occurrence, whose `to` is an occurrence or infinite. */
  readonly #before: Stretch[] = [];
  /** Ranges `(from, to)` without an occurrence, whose `from` is an occurrence or infinite. */
  readonly #behind: Stretch[] = [];

  constructor(private readonly spec: CompiledSpec) {}

  next(after: number): number | undefined {
    const known = this.#before.find(({ from, to }) => from <= after && after < to);
    const to = known?.to ?? this.spec.next(after) ?? Number.POSITIVE_INFINITY;
    if (!known) remember(this.#before, { from: after, to }, (stretch) => stretch.to === to);
    return Number.isFinite(to) ? to : undefined;
  }

  previous(before: number): number | undefined {
    const known = this.#behind.find(({ from, to }) => from < before && before <= to);
    const from = known?.from ?? this.spec.previous(before) ?? Number.NEGATIVE_INFINITY;
    if (!known) remember(this.#behind, { from, to: before }, (stretch) => stretch.from === from);
    return Number.isFinite(from) ? from : undefined;
  }

  count(after: number, through: number): number {
    const first = this.next(after);
    if (first === undefined || first > through) return 0;
    const second = this.next(first);
    if (second === undefined || second > through) return 1;
    return this.spec.count(after, through);
  }

  startTime(nominal: number): number {
    return this.spec.startTime(nominal);
  }
}

/**
 * Extend the range that has the same occurrence at its end or beginning. If there is no such range, add one. If there
 * are too many ranges then, drop the oldest.
 */
function remember(stretches: Stretch[], found: Stretch, isSame: (stretch: Stretch) => boolean): void {
  const same = stretches.find(isSame);
  if (same) {
    same.from = Math.min(same.from, found.from);
    same.to = Math.max(same.to, found.to);
    return;
  }
  if (stretches.length === STRETCHES_AT_MOST) stretches.shift();
  stretches.push(found);
}
