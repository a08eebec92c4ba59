import { InvalidScheduleError } from '../../errors';
import type { ScheduleSpec } from '../../schedule/spec';
import { dayNumber, FIRST_YEAR, LAST_YEAR } from '../civil';
import { isDate, readList } from '../read';
import { show } from '../show';
import { spend } from '../steps';
import { DAY_PARTS, isCalendarName } from './day-names';

/** The maximum number of days of `skipDays`, and of `onlyDays`, with the calendars that the list names. */
export const DAYS_AT_MOST = 10_000;
const STEPS_A_DAY = 10;

export interface NamedCalendar {
  name: string;
  /** The path in the spec, such as `spec.skipDays[0]`. */
  path: string;
}

/**
 * The days of `spec.skipDays` or `spec.onlyDays` as day numbers, sorted and without duplicates; undefined if the field
 * is missing, or if `skipDays` is empty.
 */
export function readDays(spec: ScheduleSpec, part: (typeof DAY_PARTS)[number]): number[] | undefined {
  const path = `spec.${part}`;
  const entries = readList(spec[part], path);
  if (entries.length === 0) {
    if (part === 'onlyDays' && Array.isArray(spec[part]))
      throw new InvalidScheduleError(path, 'is empty; leave it out');
    return undefined;
  }
  const days = new Set<number>();
  for (const { value, path: at } of entries) {
    const texts = isDate(value) ? [value] : daysOfCalendar(spec, nameOf(value, at), at);
    spend(texts.length * STEPS_A_DAY);
    for (const text of texts) days.add(readDay(text, at));
    if (days.size > DAYS_AT_MOST) {
      throw new InvalidScheduleError(path, `has more than ${DAYS_AT_MOST.toLocaleString('en')} days`);
    }
  }
  return [...days].sort((one, other) => one - other);
}

/**
 * The calendars that a spec names, with their paths. @throws {InvalidScheduleError} for an entry that is neither a name
 * nor a date
 */
export function calendarsIn(spec: ScheduleSpec): NamedCalendar[] {
  return DAY_PARTS.flatMap((part) =>
    readList(spec[part], `spec.${part}`)
      .filter(({ value }) => !isDate(value))
      .map(({ value, path }) => ({ name: nameOf(value, path), path })),
  );
}

/**
 * The day number of a date such as `2026-12-25`, which must be in a year that can have occurrences. @throws
 * {InvalidScheduleError}
 */
export function readDay(text: string, path: string): number {
  const year = Number(text.slice(0, 4));
  if (!isDate(text) || year < FIRST_YEAR || year > LAST_YEAR) {
    throw new InvalidScheduleError(path, `${show(text)} is not a date in the years 1970 to 2100, such as 2026-12-25`);
  }
  return dayNumber(year, Number(text.slice(5, 7)), Number(text.slice(8, 10)));
}

function nameOf(value: unknown, path: string): string {
  if (isCalendarName(value)) return value;
  throw new InvalidScheduleError(
    path,
    `${show(value)} is neither the name of a calendar nor a date such as 2026-12-25`,
  );
}

function daysOfCalendar(spec: ScheduleSpec, name: string, path: string): string[] {
  const { calendarDays } = spec;
  const text = calendarDays && Object.hasOwn(calendarDays, name) ? calendarDays[name] : undefined;
  if (typeof text === 'string') return text.split(' ').filter((day) => day !== '');
  throw new InvalidScheduleError(path, `the days of calendar '${name}' are not known here; spec.calendarDays has none`);
}
