import { setTimeout } from 'node:timers/promises';

/** Resolves after this many milliseconds, or at once when `signal` aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
