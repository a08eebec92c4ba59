import type { CompiledSpec } from './compiled';

/** A stretch without an occurrence inside, between two ends of which at least one is an occurrence. */
interface Stretch {
  from: number;
  to: number;
}

/** Few: what schedules of one form ask for lies around now. */
const STRETCHES_AT_MOST = 8;

/**
 * A spec that remembers stretches without an occurrence. So thousands of schedules with one spec, due at one instant, are computed
 * once. It is exact: the next occurrence is the same for every instant of such a stretch.
 */
export class RememberedSpec implements CompiledSpec {
  /** No occurrence in `(from, to)`, and `to` is one, or infinite. */
  readonly #before: Stretch[] = [];
  /** No occurrence in `(from, to)`, and `from` is one, or infinite. */
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

/** Widen the stretch at the same occurrence, or put the oldest one's place to new use. */
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
