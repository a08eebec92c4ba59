import { setTimeout } from 'node:timers/promises';

/** Resolves at an instant, milliseconds since 1970; at once when it has passed. */
export async function at(instant: number): Promise<void> {
  // Timers may be a millisecond early.
  for (let left = instant - Date.now(); left > 0; left = instant - Date.now()) await setTimeout(left);
}

export async function seconds(count: number): Promise<void> {
  await setTimeout(count * 1_000);
}

/**
 * Calls `condition` until it says yes.
 *
 * @throws {Error} naming `what` when that takes too long
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

/** `count` calls, at most `inFlight` at once, in order. */
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

const LONGEST_POLL_MILLISECONDS = 5_000;

/**
 * Calls `read` until it returns at least `target`: rarely while much is missing, so that looking does not slow down what
 * is looked at, and each `everyMilliseconds` towards the end.
 *
 * @throws {Error} naming `what` when that takes too long
 */
export async function untilCount(
  what: string,
  target: number,
  read: () => Promise<number>,
  { everyMilliseconds, atMostSeconds }: { everyMilliseconds: number; atMostSeconds: number },
): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const count = await read();
    if (count >= target) return;
    const elapsed = performance.now() - begun;
    if (elapsed > atMostSeconds * 1_000) {
      throw new Error(`gave up waiting for ${target} ${what} after ${atMostSeconds} s; there are ${count}`);
    }
    const expected = count === 0 ? 0 : (elapsed * (target - count)) / count;
    await setTimeout(Math.min(LONGEST_POLL_MILLISECONDS, Math.max(everyMilliseconds, expected / 4)));
  }
}
