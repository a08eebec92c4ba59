import type { ScheduleSpec } from '../schedule';

/** The parts of a spec that give it times. */
export const TIMES = [
  'cron',
  'at',
  'cronExpressions',
  'calendars',
  'intervals',
] as const satisfies (keyof ScheduleSpec)[];

/**
 * Whether a spec has no time at all, as `{}`: its schedule fires when it is triggered. A part that is there without a
 * value, such as of a variable that was not set, is no such choice.
 */
export function isManual(spec: ScheduleSpec): boolean {
  return TIMES.every((part) => !(part in spec) || (Array.isArray(spec[part]) && spec[part].length === 0));
}
