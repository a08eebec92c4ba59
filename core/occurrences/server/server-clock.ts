import { bitFrom, wideBitFrom } from '../bits';
import type { Calendar } from '../calendar/calendar';
import { FIRST_YEAR, firstOfMonth, LAST_SECOND, LAST_YEAR, monthIndex, SECONDS_PER_DAY, weekday } from '../civil';
import { spend } from '../steps';
import type { Zone } from '../zones/zone';

const STEPS_A_ROUND = 5;

/**
 * This file evaluates a calendar across a clock change as Temporal's server does. Far from a clock change, the server
 * follows the rule LITERAL. Near a clock change it may deviate from that rule, and a schedule that moves from Temporal
 * must keep these deviations. `docs/time.md` describes them.
 */

/** The instant that Go's `time.Date` returns for a local time, also for missing and repeated times. */
function goDate(zone: Zone, local: number): number {
  const guess = zone.offset(local);
  return guess === 0 ? local : local - zone.offset(local - guess);
}

function hourAt(zone: Zone, second: number): number {
  const local = second + zone.offset(second);
  return Math.floor((local - Math.floor(local / SECONDS_PER_DAY) * SECONDS_PER_DAY) / 3600);
}

function weekdayAt(zone: Zone, second: number): number {
  return weekday(Math.floor((second + zone.offset(second)) / SECONDS_PER_DAY));
}

/** Whether year, month and day of the month match; the day of the week is not checked. */
function dateMatches(calendar: Calendar, day: number): boolean {
  const month = monthIndex(day);
  const year = Math.floor(month / 12);
  const bit = year - FIRST_YEAR;
  return (
    year <= LAST_YEAR &&
    (calendar.days & (1 << (day - firstOfMonth(month)))) !== 0 &&
    (calendar.months & (1 << (month - year * 12))) !== 0 &&
    (calendar.years === undefined || ((calendar.years[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0)
  );
}

/** An hour of local time, or the part of an hour that has one UTC offset. The end `to` is exclusive. */
export interface ServerHour {
  readonly to: number;
  /** Whether the server follows the rule LITERAL for the rest of this hour, from any instant in it. */
  readonly isLiteral: boolean;
}

/**
 * The hour of local time that contains `at`, or its part with one UTC offset. The hour counts as literal only if each
 * UTC offset that {@link serverNext} uses is the same for all of its seconds.
 */
export function serverHour(zone: Zone, at: number): ServerHour {
  const offset = zone.offset(at);
  const local = Math.floor((at + offset) / 3600) * 3600;
  const from = local - offset;
  const to = from + 3600;
  const end = Math.min(to, zone.end(zone.segment(at)));
  const mixed = { to: end, isLiteral: false };
  const steady = (second: number) => zone.segment(second) === zone.segment(second + 3599);
  if (!steady(from) || !steady(from - 3600) || !steady(local)) return mixed;
  if (!steady(local - zone.offset(local))) return mixed;
  const before = from - 3600 + zone.offset(from - 3600);
  if (before % 3600 !== 0) return mixed;
  const late = hourAt(zone, from - 3600) === hourAt(zone, from) ? 3600 : 0;
  return { to, isLiteral: goDate(zone, local) + late === from };
}

/**
 * Whether a calendar has any date in a range or within two days of it; only day of the month, month and year are
 * compared.
 */
export function hasDate(calendar: Calendar, from: number, to: number): boolean {
  const last = Math.floor(to / SECONDS_PER_DAY) + 2;
  for (let day = Math.floor(from / SECONDS_PER_DAY) - 2; day <= last; day++) {
    spend(STEPS_A_ROUND);
    if (dateMatches(calendar, day)) return true;
  }
  return false;
}

/**
 * The server's next match after an instant, by the server's own loop, hour by hour; infinity if it lies days beyond
 * `horizon`. In a few odd cases the result is not later than `after`, where the server itself would loop forever.
 */
export function serverNext(calendar: Calendar, zone: Zone, after: number, horizon: number): number {
  const local = after + zone.offset(after);
  const lastDay = Math.floor(Math.min(horizon, LAST_SECOND) / SECONDS_PER_DAY) + 2;
  let day = Math.floor(local / SECONDS_PER_DAY);
  let hour = Math.floor((local - day * SECONDS_PER_DAY) / 3600);
  let minute = Math.floor((local - day * SECONDS_PER_DAY - hour * 3600) / 60);
  let second = local - day * SECONDS_PER_DAY - hour * 3600 - minute * 60 + 1;
  let late = hourAt(zone, after - 3600) === hour ? 3600 : 0;
  for (;;) {
    spend(STEPS_A_ROUND);
    if (second >= 60) {
      minute++;
      second = 0;
    }
    if (minute >= 60) {
      minute = 0;
      const before = goDate(zone, day * SECONDS_PER_DAY + hour * 3600);
      if (late === 0 && goDate(zone, day * SECONDS_PER_DAY + (hour + 1) * 3600) - before > 3600) {
        late = 3600;
      } else {
        hour++;
        late = 0;
      }
    }
    if (hour >= 24) {
      day++;
      hour = 0;
    }
    for (;;) {
      spend(STEPS_A_ROUND);
      if (day > lastDay) return Number.POSITIVE_INFINITY;
      const at = day * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
      if (dateMatches(calendar, day) && (calendar.weekdays & (1 << weekdayAt(zone, goDate(zone, at)))) !== 0) break;
      day++;
      hour = minute = second = late = 0;
    }
    const nextHour = bitFrom(calendar.hours, hour);
    if (nextHour !== hour) {
      hour = nextHour < 0 ? 24 : nextHour;
      minute = second = late = 0;
      if (nextHour < 0) continue;
    }
    const nextMinute = wideBitFrom(calendar.minutesLow, calendar.minutesHigh, minute);
    if (nextMinute !== minute) {
      minute = nextMinute < 0 ? 60 : nextMinute;
      second = 0;
      if (nextMinute < 0) continue;
    }
    second = wideBitFrom(calendar.secondsLow, calendar.secondsHigh, second);
    if (second < 0) {
      second = 60;
      continue;
    }
    const found = goDate(zone, day * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second);
    if (hourAt(zone, found) === hour) return found + late;
    // The local time is missing because of a clock change.
    hour++;
    minute = second = 0;
  }
}
