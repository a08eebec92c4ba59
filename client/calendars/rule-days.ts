import { dayNumber, firstOfMonth, monthIndex, weekday } from '../../core/occurrences/civil';

/** A recurrence rule, as `ical.js` reads it. */
export interface Rule {
  freq: string;
  interval: number;
  count?: number | null;
  /** The first day of the week; Sunday is 1. */
  wkst: number;
  until?: { year: number; month: number; day: number; toString(): string } | null;
  parts: Record<string, (string | number)[]>;
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** Of these, `BYHOUR`, `BYMINUTE` and `BYSECOND` have no effect on whole days. */
const FIELDS = ['freq', 'interval', 'count', 'wkst', 'until', 'bysecond', 'byminute', 'byhour'];
const DAY_FIELDS = ['byday', 'bymonthday', 'byyearday', 'byweekno', 'bymonth', 'bysetpos'];

/**
 * Why a rule has no certain days, or undefined. RFC 5545 forbids such a rule, leaves its meaning open, or does not know
 * one of the fields that its text has.
 */
export function problemOf(rule: Rule, fields: string[]): string | undefined {
  const { freq, interval, parts } = rule;
  const unknown = fields.find((field) => !FIELDS.includes(field) && !DAY_FIELDS.includes(field));
  if (unknown !== undefined) return unknown.toUpperCase();
  if (!FREQUENCIES.includes(freq)) return `FREQ=${freq}`;
  if (rule.until && !isWholeDay(rule.until.toString())) return 'UNTIL with a time of day';
  const { BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYSETPOS } = parts;
  const isNumbered = BYDAY?.some((one) => String(one).length > 2);
  if (BYWEEKNO && (freq !== 'YEARLY' || !BYDAY || isNumbered)) return 'BYWEEKNO without FREQ=YEARLY and plain BYDAY';
  if (BYWEEKNO && (interval > 1 || BYSETPOS)) return 'BYWEEKNO with INTERVAL or BYSETPOS';
  if (BYYEARDAY && freq !== 'YEARLY') return `BYYEARDAY with FREQ=${freq}`;
  if (BYMONTHDAY && freq === 'WEEKLY') return 'BYMONTHDAY with FREQ=WEEKLY';
  if (isNumbered && freq !== 'YEARLY' && freq !== 'MONTHLY') return `a numbered BYDAY with FREQ=${freq}`;
  return undefined;
}

/**
 * The days of a rule as day numbers, in order. In each period, the days of the rule's months are tested one by one. The
 * libraries that were tried (`ical.js` 2.2, `rrule` 2.8 and `rrule-temporal` 2.2) give some rules other days than
 * python-dateutil does.
 *
 * Only days up to `through` are found. Periods that end before `from` are left out where no `COUNT` needs them. `spend`
 * is called with the number of days that each period has tested.
 */
export function* daysOfRule(
  rule: Rule,
  start: number,
  { from, through }: { from: number; through: number },
  spend: (days: number) => void = () => {},
): Generator<number> {
  const { count, until, parts } = rule;
  const end = until ? Math.min(through, dayNumber(until.year, until.month, until.day)) : through;
  const complete = completed(rule, start);
  let left = count ?? Number.POSITIVE_INFINITY;
  for (let index = 0; left > 0; index++) {
    const [first, last] = periodOf(rule, start, index);
    if (first > end) return;
    if (count == null && last < from) continue;
    for (const day of selected(daysIn(complete, first, last, spend), parts.BYSETPOS as number[])) {
      if (day < start) continue;
      if (day > end || left === 0) return;
      left--;
      yield day;
    }
  }
}

interface CompleteRule {
  rule: Rule;
  months: number[] | undefined;
  monthDays: number[] | undefined;
  weekdays: { nth: number; day: number }[] | undefined;
}

/** A rule that names no days takes them from the event's first day. */
function completed(rule: Rule, start: number): CompleteRule {
  const { freq, parts } = rule;
  const index = monthIndex(start);
  const isOpen = !parts.BYDAY && !parts.BYMONTHDAY && !parts.BYYEARDAY && !parts.BYWEEKNO;
  const isByDate = isOpen && (freq === 'YEARLY' || freq === 'MONTHLY');
  const weekdays = parts.BYDAY?.map((one) => {
    const [, nth, name] = /^(.*)(..)$/.exec(String(one))!;
    return { nth: Number(nth), day: WEEKDAYS.indexOf(name!) };
  });
  return {
    rule,
    months: (parts.BYMONTH as number[]) ?? (isByDate && freq === 'YEARLY' ? [monthOf(index)] : undefined),
    monthDays: (parts.BYMONTHDAY as number[]) ?? (isByDate ? [start - firstOfMonth(index) + 1] : undefined),
    weekdays: weekdays ?? (isOpen && freq === 'WEEKLY' ? [{ nth: 0, day: weekday(start) }] : undefined),
  };
}

function periodOf({ freq, interval, wkst }: Rule, start: number, index: number): [first: number, last: number] {
  if (freq === 'DAILY') return [start + index * interval, start + index * interval];
  if (freq === 'WEEKLY') {
    const first = weekStart(start, wkst) + index * interval * 7;
    return [first, first + 6];
  }
  const months = freq === 'YEARLY' ? 12 : 1;
  const month = (Math.floor(monthIndex(start) / months) + index * interval) * months;
  return [firstOfMonth(month), firstOfMonth(month + months) - 1];
}

function daysIn(complete: CompleteRule, first: number, last: number, spend: (days: number) => void): number[] {
  const days: number[] = [];
  let tested = 0;
  for (let day = first; day <= last; tested++) {
    const index = monthIndex(day);
    const isInMonth = complete.months?.includes(monthOf(index)) ?? true;
    if (isInMonth && matches(complete, day, index)) days.push(day);
    day = isInMonth ? day + 1 : firstOfMonth(index + 1);
  }
  spend(tested);
  return days;
}

function matches({ rule, months, monthDays, weekdays }: CompleteRule, day: number, index: number): boolean {
  const { BYYEARDAY: yearDays, BYWEEKNO: weeks } = rule.parts as Record<string, number[] | undefined>;
  if (monthDays && !isAmong(monthDays, inMonth(day, index))) return false;
  if (yearDays && !isAmong(yearDays, inYear(day, index))) return false;
  if (weeks && !isAmong(weeks, weekOf(day, rule.wkst))) return false;
  if (!weekdays) return true;
  const ofName = weekdays.filter((one) => one.day === weekday(day));
  if (ofName.length === 0 || ofName.some(({ nth }) => nth === 0)) return ofName.length > 0;
  const { position, length } = rule.freq === 'MONTHLY' || months ? inMonth(day, index) : inYear(day, index);
  const [fromFront, fromBack] = [Math.ceil(position / 7), -Math.ceil((length - position + 1) / 7)];
  return ofName.some(({ nth }) => nth === fromFront || nth === fromBack);
}

/** The position of one among several days or weeks, counted from 1. */
interface Place {
  position: number;
  length: number;
}

function inMonth(day: number, index: number): Place {
  const first = firstOfMonth(index);
  return { position: day - first + 1, length: firstOfMonth(index + 1) - first };
}

function inYear(day: number, index: number): Place {
  const year = Math.floor(index / 12);
  const first = dayNumber(year, 1, 1);
  return { position: day - first + 1, length: dayNumber(year + 1, 1, 1) - first };
}

/** A week belongs to the year that has at least four of its days. */
function weekOf(day: number, wkst: number): Place {
  const first = weekStart(day, wkst);
  const year = Math.floor(monthIndex(first + 3) / 12);
  const weekOne = weekStart(dayNumber(year, 1, 4), wkst);
  const next = weekStart(dayNumber(year + 1, 1, 4), wkst);
  return { position: (first - weekOne) / 7 + 1, length: (next - weekOne) / 7 };
}

function weekStart(day: number, wkst: number): number {
  return day - ((weekday(day) - (wkst - 1) + 7) % 7);
}

/** Whether a position is named, from the front or, by a negative number, from the back. */
function isAmong(numbers: number[], { position, length }: Place): boolean {
  return numbers.some((number) => number === position || number === position - length - 1);
}

/**
 * Whether a text in the form of `ical.js` stands for a whole day. If it has a time of day, this must be the day's first
 * or last second.
 */
function isWholeDay(text: string): boolean {
  return /^[\d-]{10}(T(00:00:00|23:59:59)Z?)?$/.test(text);
}

function selected(days: number[], positions: number[] | undefined): number[] {
  if (!positions) return days;
  return days.filter((_, index) => isAmong(positions, { position: index + 1, length: days.length }));
}

function monthOf(index: number): number {
  return (((index % 12) + 12) % 12) + 1;
}
