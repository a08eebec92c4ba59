import { setTimeout } from 'node:timers/promises';

/** A timer is late by some milliseconds, and by more on a busy machine: so much is made up for. */
const LATE_MILLISECONDS = 10;

/**
 * When each of many may begin, at so many a second: evenly spaced, with no burst that makes up for a while in which none could begin.
 *
 * @param begunAt when the first one may begin, in milliseconds
 * @returns given the time, when the next one may begin: then, or by now
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

/** Wait so long, or until `stopping`. */
export async function waitFor(milliseconds: number, stopping: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return;
  await setTimeout(milliseconds, undefined, { signal: stopping }).catch(() => undefined);
}
