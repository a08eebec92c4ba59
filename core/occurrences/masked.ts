import type { CompiledSpec } from './compiled';
import { spend, withinSteps } from './steps';

/** A range of nominal times in epoch milliseconds; `to` is exclusive. Both ends of a range may be infinite. */
export interface Stretch {
  from: number;
  to: number;
}

export function withoutTimes(spec: CompiledSpec, times: readonly number[]): CompiledSpec {
  if (times.length === 0) return spec;
  const sorted = [...times].sort((one, other) => one - other);
  return new MaskedSpec(
    spec,
    sorted.map((from) => ({ from, to: from + 1 })),
  );
}

/** A spec without the occurrences in some ranges. The ranges are sorted and do not overlap. */
export class MaskedSpec implements CompiledSpec {
  constructor(
    private readonly spec: CompiledSpec,
    private readonly masked: readonly Stretch[],
  ) {}

  next(after: number): number | undefined {
    return withinSteps('spec', () => {
      for (let found = this.spec.next(after); ; ) {
        const over = found === undefined ? undefined : this.over(found);
        if (over === undefined) return found;
        if (over.to === Number.POSITIVE_INFINITY) return undefined;
        found = this.spec.next(over.to - 1);
      }
    });
  }

  previous(before: number): number | undefined {
    return withinSteps('spec', () => {
      for (let found = this.spec.previous(before); ; ) {
        const over = found === undefined ? undefined : this.over(found);
        if (over === undefined) return found;
        if (over.from === Number.NEGATIVE_INFINITY) return undefined;
        found = this.spec.previous(over.from);
      }
    });
  }

  count(after: number, through: number): number {
    return withinSteps('spec', () => {
      let count = this.spec.count(after, through);
      for (let index = this.indexFrom(after + 1); index < this.masked.length && count > 0; index++) {
        const { from, to } = this.masked[index]!;
        if (from > through) break;
        count -= this.spec.count(Math.max(after, from - 1), Math.min(through, to - 1));
      }
      return count;
    });
  }

  startTime(nominal: number): number {
    return this.spec.startTime(nominal);
  }

  private over(instant: number): Stretch | undefined {
    const stretch = this.masked[this.indexFrom(instant)];
    return stretch !== undefined && stretch.from <= instant ? stretch : undefined;
  }

  /** The index of the first range that ends after an instant. */
  private indexFrom(instant: number): number {
    let [low, high] = [0, this.masked.length];
    while (low < high) {
      spend(1);
      const middle = (low + high) >> 1;
      if (this.masked[middle]!.to > instant) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
