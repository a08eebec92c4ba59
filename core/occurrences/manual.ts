import type { ScheduleSpec } from '../schedule/spec';

export const TIMES = [
  'cron',
  'at',
  'cronExpressions',
  'calendars',
  'intervals',
] as const satisfies (keyof ScheduleSpec)[];

/**
 * Whether a spec has no times at all, such as `{}`, so that its schedule fires only by hand. If one of `TIMES` is
 * present but undefined, for example from an unset variable, the spec does not count as one without times.
 */
export function isManual(spec: ScheduleSpec): boolean {
  return TIMES.every((part) => !(part in spec) || (Array.isArray(spec[part]) && spec[part].length === 0));
}

/** Whether a stored spec is damaged: it has no times, and at least one part that would have some is null. */
export function hasOnlyNullTimes(spec: ScheduleSpec): boolean {
  const parts = TIMES.map((part) => spec[part] as unknown);
  return parts.includes(null) && parts.every((part) => part === undefined || part === null);
}
