/**
 * By how many milliseconds the server's clock is ahead of this browser's. The reader's own clock may be minutes off,
 * which would make relative times wrong.
 */
let ahead = 0;
let lastGiven: string | undefined;

export function setServerTime(instant: string | undefined): void {
  // The caller gives the last answer's time at each render, also when that answer is old.
  if (instant === lastGiven) return;
  lastGiven = instant;
  const difference = instant === undefined ? Number.NaN : Date.parse(instant) - Date.now();
  // Changes of up to two seconds are ignored, since the time in transit varies from answer to answer.
  if (!Number.isNaN(difference) && Math.abs(difference - ahead) > 2_000) ahead = difference;
}

export function now(): number {
  return Date.now() + ahead;
}
