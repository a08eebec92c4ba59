import { setTimeout } from 'node:timers/promises';

/** Timers of Node.js may fire some milliseconds late. The pace makes up for a delay of at most this length. */
const LATE_MILLISECONDS = 10;

/**
 * Space changes evenly at `perSecond`. After a longer stall, no burst of changes makes up for the lost time.
 *
 * @param begunAt when the first change may begin, in milliseconds
 * @returns a function that takes the current time and returns when the next change may begin; that may be in the past
 */
export function paceOf(perSecond: number, begunAt: number): (now: number) => number {
  const gap = 1_000 / perSecond;
  let next = begunAt;
  return (now) => {
    const at = Math.max(next, now - LATE_MILLISECONDS);
    next = at + gap;
    return at;
  };
}

export async function waitFor(milliseconds: number, stopping: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return;
  await setTimeout(milliseconds, undefined, { signal: stopping }).catch(() => undefined);
}
