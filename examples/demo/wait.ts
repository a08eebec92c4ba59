import { setTimeout as sleep } from 'node:timers/promises';

/** Sleep, but not longer than until the signal is aborted; never throws. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { signal }).catch(() => {});
}

/** Poll until there is an answer; undefined if the time is over or the signal was aborted. */
export async function waitFor<Answer>(
  ask: () => Promise<Answer | undefined>,
  options: { milliseconds: number; everyMilliseconds: number; signal?: AbortSignal },
): Promise<Answer | undefined> {
  const deadline = Date.now() + options.milliseconds;
  while (!options.signal?.aborted) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) return undefined;
    await pause(options.everyMilliseconds, options.signal);
  }
  return undefined;
}

/** Wait for work to end, but no longer than this. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const timeout = new AbortController();
  await Promise.race([work, pause(milliseconds, timeout.signal)]);
  timeout.abort();
}

/**
 * Returns a signal that is aborted as soon as one of the given signals is. `AbortSignal.any` would do, but Node 20 may
 * garbage-collect it, or a timeout in it, before it fires.
 */
export function anyOf(...signals: AbortSignal[]): AbortSignal {
  const any = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) any.abort(signal.reason);
    else signal.addEventListener('abort', () => any.abort(signal.reason), { once: true });
  }
  return any.signal;
}

/** Returns a signal that is aborted after this time, or together with the given signal. */
export function abortedAfter(milliseconds: number, signal: AbortSignal): AbortSignal {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), milliseconds);
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return anyOf(timeout.signal, signal);
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
