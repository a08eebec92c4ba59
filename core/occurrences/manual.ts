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

/** The first part that is null, if the spec has no times. Such a spec is damaged: its schedule must not complete. */
export function onlyNullTimes(spec: ScheduleSpec): (typeof TIMES)[number] | undefined {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return TIMES.every((part) => isEmpty(spec[part])) ? TIMES.find((part) => spec[part] === null) : undefined;
}
