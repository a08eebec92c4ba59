import { useEffect, useState } from 'preact/hooks';

/**
 * By how many milliseconds the server's clock is ahead of this browser's. The reader's own clock may be minutes off,
 * which would make relative times wrong.
 */
let ahead = 0;
const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

export function setServerTime(instant: string | undefined): void {
  const difference = instant === undefined ? Number.NaN : Date.parse(instant) - Date.now();
  // Changes of up to two seconds are ignored, since the time in transit varies from answer to answer.
  if (!Number.isNaN(difference) && Math.abs(difference - ahead) > 2_000) ahead = difference;
}

export function now(): number {
  return Date.now() + ahead;
}

export function useNow(): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const tick = () => setTick((count) => count + 1);
    shown.add(tick);
    timer ??= setInterval(() => {
      for (const each of shown) each();
    }, 1_000);
    return () => {
      shown.delete(tick);
      if (shown.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return now();
}
