import type { ScheduleSpec } from '../../schedule';
import { timezoneOf } from '../compile';
import { isDate, readList } from '../read';
import { zoneNamed } from '../zones/zones';
import { DAY_PARTS } from './day-names';
import { stretchesOf } from './masks';
import { readDay } from './read-days';

/** Why an instant, which is an occurrence except for its day, is none. */
export interface SkippedDay {
  /** `skipDays`: its day is in there. `onlyDays`: it is not. */
  part: 'skipDays' | 'onlyDays';
  /** Names of the calendars, and dates: of `skipDays` those that the day is in, of `onlyDays` all. */
  entries: string[];
}

/** A spec without the days that it names. */
export function withoutDays(spec: ScheduleSpec): ScheduleSpec {
  const { skipDays: _, onlyDays: __, calendarDays: ___, ...rest } = spec;
  return rest;
}

/** Which of its days leaves an instant out of a valid spec; undefined where none does. */
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
