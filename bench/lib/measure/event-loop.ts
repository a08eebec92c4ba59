import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The delay of a process's timers, in milliseconds. */
export interface EventLoopDelay {
  p50: number;
  p99: number;
  max: number;
}

const TIMER_MILLISECONDS = 10;

/** Measures the event loop of this process. Each call of the returned function gives the delays since the start. */
export function watchEventLoop(): () => EventLoopDelay {
  const delay = monitorEventLoopDelay({ resolution: TIMER_MILLISECONDS });
  delay.enable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - TIMER_MILLISECONDS);
  return () => ({ p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) });
}
