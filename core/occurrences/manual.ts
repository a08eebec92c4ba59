import type { ScheduleSpec } from '../schedule/spec';

/** The parts of a spec that give it times. */
export const TIMES = [
  'cron',
  'at',
  'cronExpressions',
  'calendars',
  'intervals',
] as const satisfies (keyof ScheduleSpec)[];

/**
 * Whether a spec has no times at all, as `{}`, so that its schedule only fires manually. A field that is present but
 * undefined, such as from an unset variable, does not count as this choice.
 */
export function isManual(spec: ScheduleSpec): boolean {
  return TIMES.every((part) => !(part in spec) || (Array.isArray(spec[part]) && spec[part].length === 0));
}
