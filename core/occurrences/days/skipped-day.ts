import type { ScheduleSpec } from '../../schedule/spec';
import { timezoneOf } from '../compile';
import { isDate, readList } from '../read';
import { zoneNamed } from '../zones/zones';
import { DAY_PARTS } from './day-names';
import { stretchesOf } from './masks';
import { readDay } from './read-days';

/** The day rule (`skipDays` or `onlyDays`) because of which an instant is no occurrence. */
export interface SkippedDay {
  /** `skipDays`: the list contains the instant's day. `onlyDays`: the list does not contain the instant's day. */
  part: 'skipDays' | 'onlyDays';
  /** Names of calendars, and dates: for `skipDays` only those that contain the day, for `onlyDays` all. */
  entries: string[];
}

export function withoutDays(spec: ScheduleSpec): ScheduleSpec {
  const { skipDays: _, onlyDays: __, calendarDays: ___, ...rest } = spec;
  return rest;
}

/** Which day rule (`skipDays` or `onlyDays`) of a valid spec leaves out an instant; undefined if none does. */
export function skippedDayOf(spec: ScheduleSpec, time: number): SkippedDay | undefined {
  const zone = zoneNamed(timezoneOf(spec), 'spec.timezone');
  for (const part of DAY_PARTS) {
    const entries = readList(spec[part], `spec.${part}`).map(({ value }) => value);
    const having = entries.filter((entry) => {
      const texts = isDate(entry) ? [entry] : (spec.calendarDays?.[entry] ?? '').split(' ').filter(Boolean);
      const days = [...new Set(texts.map((text) => readDay(text, `spec.${part}`)))].sort((a, b) => a - b);
      return stretchesOf(days, zone).some(({ from, to }) => from <= time && time < to);
    });
    if (part === 'skipDays' && having.length > 0) return { part, entries: having };
    if (part === 'onlyDays' && entries.length > 0 && having.length === 0) return { part, entries };
  }
  return undefined;
}
