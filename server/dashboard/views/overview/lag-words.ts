import { durationOf } from '../../time/format';

/** The chart of the lag in words. @param lag of each half hour; null if nothing started in it */
export function lagInWords(lag: (number | null)[]): string {
  const started = lag.filter((value) => value !== null);
  if (started.length === 0) return 'Lag of the last 24 hours: nothing started.';
  return `Lag of the last 24 hours: 99 of 100 firings started within ${durationOf(Math.max(...started))} even in the worst half hour.`;
}
