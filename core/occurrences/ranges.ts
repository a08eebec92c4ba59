import type { Calendar } from './calendar/calendar';
import { calendarOf } from './calendar/calendar-of';
import { type Field, YEAR } from './fields';
import { spend } from './steps';

const STEPS_A_CALENDAR = 200;
const STEPS_A_VALUE = 2;

/** Years that a calendar in Temporal's form may name. */
export const TEMPORAL_YEAR: Field = { ...YEAR, min: 2000, max: 2100 };

/** Values of one field in Temporal's form: every `step`-th value from `start` to `end`, both included. */
export interface FieldRange {
  start: number;
  end: number;
  step: number;
}

/** A calendar in Temporal's form, by field. Sunday is 0; no years means every year. */
export type CalendarRanges = Record<Field['key'], FieldRange[]>;

export function only(value: number): FieldRange {
  return { start: value, end: value, step: 1 };
}

export function calendarOfRanges(ranges: CalendarRanges): Calendar {
  spend(STEPS_A_CALENDAR);
  const values = (key: Field['key']) => {
    const found: number[] = [];
    for (const { start, end, step } of ranges[key]) {
      for (let value = start; value <= end; value += step) found.push(value);
    }
    spend(found.length * STEPS_A_VALUE);
    // Ranges may overlap.
    return [...new Set(found)];
  };
  const years = values('year');
  return calendarOf({
    second: values('second'),
    minute: values('minute'),
    hour: values('hour'),
    dayOfMonth: values('dayOfMonth'),
    month: values('month'),
    dayOfWeek: values('dayOfWeek'),
    year: years.length === 0 || years.length > TEMPORAL_YEAR.max - TEMPORAL_YEAR.min ? undefined : years,
  });
}
