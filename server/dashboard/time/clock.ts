import { useEffect, useState } from 'preact/hooks';

/**
 * The server's clock, by the newest answer that had one: a reader's own may be minutes off, and then nothing relative would
 * be true.
 */
let ahead = 0;
const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

export function setServerTime(instant: string | undefined): void {
  const difference = instant === undefined ? Number.NaN : Date.parse(instant) - Date.now();
  // A clock of a test is days off, and one of a person seconds: only what people see is mended.
  if (!Number.isNaN(difference) && Math.abs(difference - ahead) > 2_000) ahead = difference;
}

export function now(): number {
  return Date.now() + ahead;
}

/** The clock, again each second while somebody looks at it. */
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
