import { hash32 } from './hash';

/**
 * How long after its nominal time (seconds) a firing starts, in milliseconds: from 0 up to `jitter`, at most the gap
 * to the nominal time that follows, so that starts keep their order. The same for ever: `gap × hash / 2^32` with the
 * hash of the schedule's ID and the nominal time.
 */
export function jitterOf(nominal: number, following: number, jitter: number, scheduleId: string): number {
  const gap = Number.isNaN(following) ? jitter : Math.min(jitter, (following - nominal) * 1000);
  const whole = Math.min(Math.floor(gap), 0xffffffff);
  return whole <= 0 ? 0 : Math.floor((hash32(`${nominal}\n${scheduleId}`) / 2 ** 32) * whole);
}
