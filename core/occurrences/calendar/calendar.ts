import { bitFrom, bitUpTo } from '../bits';
import { daysInMonth, FIRST_YEAR, firstOfMonth, LAST_YEAR, monthIndex, SECONDS_PER_DAY, weekday } from '../civil';
import { spend } from '../steps';
import { firstTime, lastTime, timeFrom, timeMatches, timeUpTo } from './time-of-day';

/**
 * The compiled form of every cron expression and calendar: sets as bits. A local second matches if its time of day and
 * its day match. The day, in a month and year of the calendar, matches if both day fields match; with `either`, one is
 * enough.
 */
export interface Calendar {
  readonly secondsLow: number;
  readonly secondsHigh: number;
  readonly minutesLow: number;
  readonly minutesHigh: number;
  readonly hours: number;
  /** The days of the month as bits; bit 0 is the first day. */
  readonly days: number;
  /**
   * The days that are counted from the end of the month (`L` and `L-3` in the day-of-month field): bit n is the day
   * that is n days before the last.
   */
  readonly lastDays: number;
  /** The weekdays nearest to a day (`15W`): bit 0 stands for the weekday nearest to the first. */
  readonly nearDays: number;
  /**
   * The weekdays nearest to a day that is counted from the end of the month (`LW` and `L-3W`): bit n stands for the
   * weekday nearest to the day that is n days before the last.
   */
  readonly nearLastDays: number;
  /** The months as bits; bit 0 is January. */
  readonly months: number;
  /** The days of the week as bits; bit 0 is Sunday. */
  readonly weekdays: number;
  /** The last weekdays of a month (`5L`): days of the week that match only in the last seven days of the month. */
  readonly lastWeekdays: number;
  /**
   * The weekdays by their number in the month (`5#2`), as bits: entry 0 has those that match the first time in a month.
   */
  readonly nthWeekdays: readonly number[] | undefined;
  /** The years as bits, bit 0 is 1970; undefined is every year. */
  readonly years: Uint32Array | undefined;
  /** Whether a day matches if one of the two day fields does, as in `spec.cron` when both are restricted. */
  readonly either: boolean;
  /** Whether the calendar follows the rule ONCE of `dst.ts`. */
  readonly once: boolean;
}

/** December 1969 is searched too, since 1970 UTC begins on its last day in zones west of Greenwich. */
const FIRST_MONTH = FIRST_YEAR * 12 - 1;
const LAST_MONTH = LAST_YEAR * 12 + 11;
const EVERY_SEVENTH_DAY = 0x10204081;
const STEPS_A_MONTH = 3;
const STEPS_A_SEARCH = 8;

/** The days of a month, as bits, whose day of the week is in `weekdays`, if the month begins on the day `first`. */
function spread(weekdays: number, first: number): number {
  const rotated = ((weekdays >> first) | (weekdays << (7 - first))) & 127;
  return Math.imul(rotated, EVERY_SEVENTH_DAY) & 0x7fffffff;
}

/**
 * The matching days that are not given as numbers: those counted from the end of the month, and weekdays nearest to a
 * day.
 */
function specialDays({ lastDays, nearDays, nearLastDays }: Calendar, length: number, firstWeekday: number): number {
  if ((lastDays | nearDays | nearLastDays) === 0) return 0;
  let days = 0;
  for (let day = 0; day < length; day++) {
    const fromLast = length - 1 - day;
    if ((lastDays & (1 << fromLast)) !== 0) days |= 1 << day;
    if (((nearDays >>> day) | (nearLastDays >>> fromLast)) & 1) days |= 1 << nearestWeekday(day, length, firstWeekday);
  }
  return days;
}

/** The weekday (Monday to Friday) nearest to a day of a month, never in another month; days count from 0. */
function nearestWeekday(day: number, length: number, firstWeekday: number): number {
  const ofWeek = (firstWeekday + day) % 7;
  if (ofWeek === 6) return day > 0 ? day - 1 : day + 2;
  if (ofWeek === 0) return day < length - 1 ? day + 1 : day - 2;
  return day;
}

/** The matching days of a month (see {@link monthIndex}) as bits; bit 0 is the first day. */
export function monthDays(calendar: Calendar, month: number, first: number): number {
  const year = Math.floor(month / 12);
  const monthOfYear = month - year * 12;
  if ((calendar.months & (1 << monthOfYear)) === 0) return 0;
  const { years } = calendar;
  if (years !== undefined) {
    const bit = year - FIRST_YEAR;
    if (((years[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return 0;
  }
  const length = daysInMonth(year, monthOfYear + 1);
  const firstWeekday = weekday(first);
  const byDate = calendar.days | specialDays(calendar, length, firstWeekday);
  let byWeekday = spread(calendar.weekdays, firstWeekday);
  if (calendar.lastWeekdays !== 0) byWeekday |= spread(calendar.lastWeekdays, firstWeekday) & (127 << (length - 7));
  if (calendar.nthWeekdays !== undefined) {
    for (let n = 0; n < calendar.nthWeekdays.length; n++) {
      byWeekday |= spread(calendar.nthWeekdays[n]!, firstWeekday) & (127 << (7 * n));
    }
  }
  return (calendar.either ? byDate | byWeekday : byDate & byWeekday) & (0x7fffffff >>> (31 - length));
}

/** The first matching day that is not before `day`; NaN when there is none up to the end of 2100. */
function dayFrom(calendar: Calendar, day: number): number {
  let month = monthIndex(day);
  let from = 0;
  if (month < FIRST_MONTH) month = FIRST_MONTH;
  else from = day - firstOfMonth(month);
  spend(STEPS_A_SEARCH);
  for (; month <= LAST_MONTH; month++, from = 0) {
    spend(STEPS_A_MONTH);
    const first = firstOfMonth(month);
    const found = bitFrom(monthDays(calendar, month, first), from);
    if (found >= 0) return first + found;
  }
  return Number.NaN;
}

/** The last matching day that is not after `day`; NaN when there is none back to December 1969. */
function dayUpTo(calendar: Calendar, day: number): number {
  let month = monthIndex(day);
  let upTo = 30;
  if (month > LAST_MONTH) month = LAST_MONTH;
  else upTo = day - firstOfMonth(month);
  spend(STEPS_A_SEARCH);
  for (; month >= FIRST_MONTH; month--, upTo = 30) {
    spend(STEPS_A_MONTH);
    const first = firstOfMonth(month);
    const found = bitUpTo(monthDays(calendar, month, first), upTo);
    if (found >= 0) return first + found;
  }
  return Number.NaN;
}

export function dayMatches(calendar: Calendar, day: number): boolean {
  const month = monthIndex(day);
  if (month < FIRST_MONTH || month > LAST_MONTH) return false;
  const first = firstOfMonth(month);
  return (monthDays(calendar, month, first) & (1 << (day - first))) !== 0;
}

/** Whether a calendar matches a local second. Local seconds count from 1970-01-01T00:00:00 on the clock of the zone. */
export function matches(calendar: Calendar, local: number): boolean {
  const day = Math.floor(local / SECONDS_PER_DAY);
  return timeMatches(calendar, local - day * SECONDS_PER_DAY) && dayMatches(calendar, day);
}

/** The first matching local second that is not before `local`; NaN when there is none. */
export function localFrom(calendar: Calendar, local: number): number {
  const day = Math.floor(local / SECONDS_PER_DAY);
  const time = timeFrom(calendar, local - day * SECONDS_PER_DAY);
  const found = dayFrom(calendar, time < 0 ? day + 1 : day);
  if (Number.isNaN(found)) return Number.NaN;
  const ofDay = found === day ? time : firstTime(calendar);
  return ofDay < 0 ? Number.NaN : found * SECONDS_PER_DAY + ofDay;
}

/** The last matching local second that is not after `local`; NaN when there is none. */
export function localUpTo(calendar: Calendar, local: number): number {
  const day = Math.floor(local / SECONDS_PER_DAY);
  const time = timeUpTo(calendar, local - day * SECONDS_PER_DAY);
  const found = dayUpTo(calendar, time < 0 ? day - 1 : day);
  if (Number.isNaN(found)) return Number.NaN;
  const ofDay = found === day ? time : lastTime(calendar);
  return ofDay < 0 ? Number.NaN : found * SECONDS_PER_DAY + ofDay;
}
