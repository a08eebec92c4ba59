import { FIRST_YEAR, LAST_YEAR } from '../civil';
import type { Calendar } from './calendar';

export interface CalendarValues {
  second: readonly number[];
  minute: readonly number[];
  hour: readonly number[];
  dayOfMonth: readonly number[];
  month: readonly number[];
  /** Sunday is 0. */
  dayOfWeek: readonly number[];
  /** Years from 1970 to 2100; undefined means every year. */
  year?: readonly number[];
  lastDays?: number;
  nearDays?: number;
  nearLastDays?: number;
  lastWeekdays?: number;
  nthWeekdays?: readonly number[];
  either?: boolean;
  once?: boolean;
}

function bits(values: readonly number[], shift = 0): number {
  let word = 0;
  for (const value of values) if (value - shift >= 0 && value - shift < 32) word |= 1 << (value - shift);
  return word;
}

export function calendarOf(values: CalendarValues): Calendar {
  return {
    secondsLow: bits(values.second),
    secondsHigh: bits(values.second, 32),
    minutesLow: bits(values.minute),
    minutesHigh: bits(values.minute, 32),
    hours: bits(values.hour),
    days: bits(values.dayOfMonth, 1),
    lastDays: values.lastDays ?? 0,
    nearDays: values.nearDays ?? 0,
    nearLastDays: values.nearLastDays ?? 0,
    months: bits(values.month, 1),
    weekdays: bits(values.dayOfWeek),
    lastWeekdays: values.lastWeekdays ?? 0,
    nthWeekdays: values.nthWeekdays,
    years: values.year === undefined ? undefined : yearBits(values.year),
    either: values.either ?? false,
    once: values.once ?? false,
  };
}

function yearBits(years: readonly number[]): Uint32Array {
  const words = new Uint32Array(Math.ceil((LAST_YEAR - FIRST_YEAR + 1) / 32));
  for (const year of years) {
    const bit = year - FIRST_YEAR;
    words[bit >>> 5]! |= 1 << (bit & 31);
  }
  return words;
}

export function range(start: number, end: number, step = 1): number[] {
  const values: number[] = [];
  for (let value = start; value <= end; value += step) values.push(value);
  return values;
}
