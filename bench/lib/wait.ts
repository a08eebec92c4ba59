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
