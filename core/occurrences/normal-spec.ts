import type {
  CalendarSpecDescription,
  IntervalSpecDescription,
  ScheduleSpec,
  ScheduleSpecDescription,
} from '../schedule/spec';
import { readCalendarSpec } from './calendar/calendar-spec';
import { timezoneOf } from './compile';
import { readTemporalCron, type TemporalCron } from './cron/cron-temporal';
import { DAY_NAMES, MONTH_NAMES } from './fields';
import type { CalendarRanges, FieldRange } from './ranges';
import { INSTANTS_AT_MOST, readDuration, readInstant, readJitter, readList } from './read';

/**
 * Converts a valid spec into the form that Temporal's own `describe` returns. In this form calendars have every field
 * as ranges, intervals are in milliseconds, and `cronExpressions` become calendars and intervals. Fields that Temporal
 * does not have, such as `cron` and anchors, are kept. The result has the same occurrences as the given spec.
 *
 * @throws {InvalidScheduleError} if the spec is not valid
 */
export function normalSpec(spec: ScheduleSpec): ScheduleSpecDescription {
  const crons = readList(spec.cronExpressions, 'spec.cronExpressions').map((c) => readTemporalCron(c.value, c.path));
  const calendars = readList(spec.calendars, 'spec.calendars').map((c) => readCalendar(c.value, c.path));
  const intervals = readList(spec.intervals, 'spec.intervals').map((i) => readInterval(i.value, i.path));
  const timezone = timezoneOf(spec);
  return {
    calendars: [...calendars, ...crons.flatMap(calendarOfCron)],
    intervals: [...intervals, ...crons.flatMap(({ interval }) => interval ?? [])],
    skip: readList(spec.skip, 'spec.skip').map((c) => readCalendar(c.value, c.path)),
    ...(spec.startAt ? { startAt: readDate(spec.startAt, 'spec.startAt') } : {}),
    ...(spec.endAt ? { endAt: readDate(spec.endAt, 'spec.endAt') } : {}),
    ...(spec.jitter === undefined || spec.jitter === null ? {} : { jitter: readJitter(spec.jitter) }),
    ...(timezone === '' ? {} : { timezone }),
    ...(spec.cron === undefined ? {} : { cron: spec.cron }),
    ...(spec.dst === undefined ? {} : { dst: spec.dst }),
    ...(spec.at === undefined
      ? {}
      : { at: readList(spec.at, 'spec.at', INSTANTS_AT_MOST).map((at) => readDate(at.value, at.path)) }),
    ...(spec.skipDays === undefined
      ? {}
      : { skipDays: readList(spec.skipDays, 'spec.skipDays').map(({ value }) => value) }),
    ...(spec.onlyDays === undefined
      ? {}
      : { onlyDays: readList(spec.onlyDays, 'spec.onlyDays').map(({ value }) => value) }),
    ...(spec.calendarDays === undefined ? {} : { calendarDays: spec.calendarDays }),
  };
}

type Given<Part extends 'calendars' | 'intervals'> = NonNullable<ScheduleSpec[Part]>[number];

function readCalendar(calendar: Given<'calendars'>, path: string): CalendarSpecDescription {
  return inWords(readCalendarSpec(calendar, path), calendar.comment ?? '');
}

function calendarOfCron({ calendar }: TemporalCron): CalendarSpecDescription[] {
  if (calendar === undefined) return [];
  const { comment, ...ranges } = calendar;
  return [inWords(ranges, comment)];
}

function inWords({ month, dayOfWeek, ...fields }: CalendarRanges, comment: string): CalendarSpecDescription {
  return {
    ...fields,
    month: named(month, MONTH_NAMES, 1),
    dayOfWeek: named(dayOfWeek, DAY_NAMES, 0),
    comment,
  };
}

function named<Name>(ranges: FieldRange[], names: readonly Name[], base: number) {
  return ranges.map(({ start, end, step }) => ({ start: names[start - base]!, end: names[end - base]!, step }));
}

function readInterval({ every, offset, anchor }: Given<'intervals'>, path: string): IntervalSpecDescription {
  return {
    every: readDuration(every, `${path}.every`),
    offset: offset === undefined || offset === null ? 0 : readDuration(offset, `${path}.offset`),
    ...(anchor === undefined || anchor === null ? {} : { anchor: readDate(anchor, `${path}.anchor`) }),
  };
}

function readDate(value: unknown, path: string): Date {
  return new Date(readInstant(value, path));
}
