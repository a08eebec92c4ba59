/**
 * Arithmetic with dates on plain integers, without Date and without the time zone of this process. Days count from
 * 1970-01-01.
 */

export const SECONDS_PER_DAY = 86_400;

/** The first second that can have an occurrence. */
export const FIRST_SECOND = 0;
/** The last second that can have an occurrence: the end of the year 2100 (UTC), as in Temporal's server. */
export const LAST_SECOND = 4_133_980_799;
export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2100;

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Months count from 1. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : LENGTHS[month - 1]!;
}

/**
 * The number of a date's day, counted from 1970-01-01. In this computation a year begins in March, so that a leap day
 * is its last day.
 */
export function dayNumber(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = (((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) | 0) + day - 1;
  return era * 146_097 + yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear - 719_468;
}

/**
 * The year and month of a day number, packed into one number as `year * 12 + month - 1`, so that nothing is allocated.
 */
export function monthIndex(day: number): number {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const year = yearOfEra + era * 400;
  return shiftedMonth < 10 ? year * 12 + shiftedMonth + 2 : (year + 1) * 12 + shiftedMonth - 10;
}

/** The day number of the first day of a month, which is given as its {@link monthIndex}. */
export function firstOfMonth(index: number): number {
  const year = Math.floor(index / 12);
  return dayNumber(year, index - year * 12 + 1, 1);
}

/** Sunday is 0. */
export function weekday(day: number): number {
  const remainder = (day + 4) % 7;
  return remainder < 0 ? remainder + 7 : remainder;
}
