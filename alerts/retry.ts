const FIRST_PAUSE_MILLISECONDS = 1_000;
const SHORT_PAUSE_MILLISECONDS = 15_000;
const SHORT_FOR_MILLISECONDS = 600_000;
export const LONGEST_PAUSE_MILLISECONDS = 3_600_000;

/**
 * The pause before the next attempt, in milliseconds: as long as the webhook has been failing, and at least a second.
 * The pause is at most 15 seconds in the first ten minutes of failing, and at most an hour later.
 */
export function pauseOf(failingSince: Date | null, now: Date): number {
  const failing = failingSince ? now.getTime() - failingSince.getTime() : 0;
  const most = failing < SHORT_FOR_MILLISECONDS ? SHORT_PAUSE_MILLISECONDS : LONGEST_PAUSE_MILLISECONDS;
  return Math.min(most, Math.max(FIRST_PAUSE_MILLISECONDS, failing));
}
