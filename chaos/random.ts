/** Pseudorandom numbers from a seed, so that the same run can be planned again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next number, from 0 to below 1, by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A random whole number between two numbers, both inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<One>(all: readonly One[]): One {
    return all[this.between(0, all.length - 1)]!;
  }

  /** One of the items, chosen by weight. */
  weighted<One extends { weight: number }>(all: readonly One[]): One {
    let left = this.next() * all.reduce((sum, { weight }) => sum + weight, 0);
    for (const one of all) {
      left -= one.weight;
      if (left < 0) return one;
    }
    return all.at(-1)!;
  }
}
