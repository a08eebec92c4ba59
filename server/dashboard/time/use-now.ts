import { useEffect, useState } from 'preact/hooks';
import { now } from './clock';

const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

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
