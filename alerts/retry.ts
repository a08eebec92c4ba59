const FIRST_PAUSE_MILLISECONDS = 1_000;
/** In the first minutes of an outage, and after. */
const SHORT_PAUSE_MILLISECONDS = 15_000;
const SHORT_FOR_MILLISECONDS = 600_000;
const LONGEST_PAUSE_MILLISECONDS = 3_600_000;

/** As long again as it has failed for: at most 15 seconds in the first ten minutes, and an hour at last. */
export function pauseOf(failingSince: Date | null, now: Date): number {
  const failing = failingSince ? now.getTime() - failingSince.getTime() : 0;
  const most = failing < SHORT_FOR_MILLISECONDS ? SHORT_PAUSE_MILLISECONDS : LONGEST_PAUSE_MILLISECONDS;
  return Math.min(most, Math.max(FIRST_PAUSE_MILLISECONDS, failing));
}
