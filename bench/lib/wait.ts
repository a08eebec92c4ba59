import { setTimeout } from 'node:timers/promises';

/** Resolves at an instant, given in milliseconds since 1970; at once if it has passed. */
export async function at(instant: number): Promise<void> {
  // A timer may fire a millisecond early, so the rest is waited for again.
  for (let left = instant - Date.now(); left > 0; left = instant - Date.now()) await setTimeout(left);
}

export async function seconds(count: number): Promise<void> {
  await setTimeout(count * 1_000);
}

/**
 * Calls `condition` until it returns true.
 *
 * @throws {Error} that names `what`, if this takes too long
 */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  { everyMilliseconds = 100, atMostSeconds = 600 } = {},
): Promise<void> {
  const deadline = performance.now() + atMostSeconds * 1_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting for ${what} after ${atMostSeconds} s`);
    await setTimeout(everyMilliseconds);
  }
}

/** Makes `count` calls, begun in the order of their index, at most `inFlight` of them in parallel. */
export async function inParallel(
  count: number,
  inFlight: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, count) }, lane));
}

/** Limits a wait for a count: the wait is given up only if the count does not change for too long. */
export class Patience {
  #count = Number.NaN;
  #since = 0;

  constructor(
    private readonly what: string,
    private readonly seconds = 900,
  ) {}

  /** @throws {Error} that names what was waited for, if the count has not changed for too long */
  note(count: number): void {
    const now = performance.now();
    if (count !== this.#count) {
      this.#count = count;
      this.#since = now;
    } else if (now - this.#since > this.seconds * 1_000) {
      throw new Error(`gave up waiting for ${this.what}: at ${count} for ${this.seconds} s`);
    }
  }
}

/**
 * Calls `read`, at least twice and a second apart, until it returns the same count twice in a row. What Temporal lists
 * lags a little behind.
 */
export async function settledCount(read: () => Promise<number>): Promise<number> {
  for (let last = await read(); ; ) {
    await seconds(1);
    const count = await read();
    if (count === last) return count;
    last = count;
  }
}

const LONGEST_POLL_MILLISECONDS = 5_000;

/**
 * Calls `read` until it returns at least `target`. Reads are rare while much is missing, so that they do not slow down
 * the measured work. Towards the end a read occurs each `everyMilliseconds`.
 *
 * @throws {Error} that names `what`, if the count does not change for too long
 */
export async function untilCount(
  what: string,
  target: number,
  read: () => Promise<number>,
  { everyMilliseconds }: { everyMilliseconds: number },
): Promise<void> {
  const begun = performance.now();
  const patience = new Patience(`${target} ${what}`);
  for (;;) {
    const count = await read();
    if (count >= target) return;
    patience.note(count);
    const elapsed = performance.now() - begun;
    const expected = count === 0 ? 0 : (elapsed * (target - count)) / count;
    await setTimeout(Math.min(LONGEST_POLL_MILLISECONDS, Math.max(everyMilliseconds, expected / 4)));
  }
}
