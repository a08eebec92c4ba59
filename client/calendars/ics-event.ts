import { InvalidOptionError } from '../../core/errors';
import { isDate } from '../../core/occurrences/read';
import { show } from '../../core/occurrences/show';

export type Ical = typeof import('ical.js', { with: { 'resolution-mode': 'import' }}).default;
export type IcalEvent = InstanceType<Ical['Event']>;

const DAY_MILLISECONDS = 86_400_000;

export function isCancelled({ component }: IcalEvent): boolean {
  return String(component.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED';
}

export function nameOf({ summary, uid }: IcalEvent): string {
  return show(summary ?? uid ?? '');
}

/** The dates of a property of a whole-day event as day numbers. @throws {InvalidOptionError} if one is no day */
export function daysOf(event: IcalEvent, name: 'rdate' | 'exdate' | 'recurrence-id'): number[] {
  return valuesOf(event, name).map((value) => {
    const text = String(value);
    if (/^.{10}(T00:00:00Z?)?$/.test(text) && isDate(text.slice(0, 10))) return dayOf(text);
    throw refusal(`event ${nameOf(event)} has ${show(value)} in ${name.toUpperCase()}, which is no whole day`);
  });
}

/** Refuses dates that do not exist: the library would read 2026-02-30 as 2 March. */
export function checkDates(event: IcalEvent): void {
  for (const name of ['dtstart', 'dtend', 'rdate', 'exdate', 'recurrence-id']) {
    const bad = valuesOf(event, name).find((value) => typeof value === 'string' && !isDate(value.slice(0, 10)));
    if (bad !== undefined) throw refusal(`event ${nameOf(event)} has ${show(bad)}, which is not a date`);
  }
}

function valuesOf({ component }: IcalEvent, name: string): unknown[] {
  return component.getAllProperties(name).flatMap((property) => property.jCal.slice(3) as unknown[]);
}

/** The day number of a text that begins with a date; days count from 1970-01-01. */
export function dayOf(text: string): number {
  return Date.parse(text.slice(0, 10)) / DAY_MILLISECONDS;
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

export function refusal(problem: string): InvalidOptionError {
  return new InvalidOptionError('ics', problem);
}
