import { hash32 } from './hash';

/**
 * The delay from a nominal time (in seconds) to the start of its firing, in milliseconds. The delay is less than
 * `jitter`, and less than the time to `following`, so that starts keep their order. `following` is the next instant of
 * the spec's parts, even if `skip` or the spec's end leaves it out. The same arguments always give the same delay.
 */
export function jitterOf(nominal: number, following: number, jitter: number, scheduleId: string): number {
  const gap = Number.isNaN(following) ? jitter : Math.min(jitter, (following - nominal) * 1000);
  const whole = Math.min(Math.floor(gap), 0xffffffff);
  return whole <= 0 ? 0 : Math.floor((hash32(`${nominal}\n${scheduleId}`) / 2 ** 32) * whole);
}
