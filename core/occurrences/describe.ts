import { counted } from '../counted';
import type { CalendarSpec, IntervalSpec, ScheduleSpec } from '../schedule/spec';
import { zoneOf } from '../spec-zone';
import { cronInWords, temporalInWords, withoutHashes } from './cron/cron-words';
import { nextOccurrences } from './index';
import { INSTANTS_AT_MOST, readDuration, readInstant, readList } from './read';

/** The code that computes occurrences does not import this file, since its dependency `cronstrue` is large. */

export interface SpecDescription {
  /** The spec in words. */
  lines: string[];
  next: Date[];
}

/** @throws {InvalidScheduleError} if the spec is not valid */
export function describeSpec(
  spec: ScheduleSpec,
  options: { after: Date; count?: number; scheduleId?: string },
): SpecDescription {
  const { after, count = 5, scheduleId } = options;
  const next = nextOccurrences(spec, { after, count, scheduleId });
  return { lines: specInWords(spec, scheduleId), next };
}

export function specInWords(spec: ScheduleSpec, scheduleId: string | undefined): string[] {
  const lines = [
    ...readList(spec.cron, '').map(({ value }) => cronInWords(withoutHashes(value, scheduleId), value, false)),
    ...readList(spec.cronExpressions, '').map(({ value }) => temporalInWords(value)),
    ...readList(spec.calendars, '').map(({ value }) => calendarInWords(value)),
    ...readList(spec.intervals, '').map(({ value }) => intervalInWords(value)),
    ...readList(spec.at, '', INSTANTS_AT_MOST).map(({ value }) => `Once at ${iso(value)}`),
    ...readList(spec.skip, '').flatMap(({ value }) => (isNever(value) ? [] : `Except: ${calendarInWords(value)}`)),
  ];
  const skipped = readList(spec.skipDays, '').map(({ value }) => value);
  if (skipped.length > 0) lines.push(`Not on days of ${skipped.join(', ')}`);
  const only = readList(spec.onlyDays, '').map(({ value }) => value);
  if (only.length > 0) lines.push(`Only on days of ${only.join(', ')}`);
  if (spec.startAt) lines.push(`Not before ${iso(spec.startAt)}`);
  if (spec.endAt) lines.push(`Not after ${iso(spec.endAt)}`);
  if (spec.jitter)
    lines.push(`Started up to ${String(spec.jitter)}${typeof spec.jitter === 'number' ? ' ms' : ''} later`);
  // An expression may name the zone too. If nothing names a zone, the zone is UTC.
  const zone = zoneOf(spec);
  if (spec.timezone || zone !== 'UTC') lines.push(`Time zone ${zone}`);
  return lines;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Whether a field other than the year has no value, so that the calendar never matches. No years mean every year. */
function isNever({ second, minute, hour, dayOfMonth, month, dayOfWeek }: CalendarSpec): boolean {
  return [second, minute, hour, dayOfMonth, month, dayOfWeek].some(isEmpty);
}

function calendarInWords(calendar: CalendarSpec): string {
  const field = (value: unknown, missing: string, whole?: string): string => {
    if (value === undefined || value === null) return missing;
    return (Array.isArray(value) ? value : [value]).map((one) => component(one, whole)).join(',');
  };
  const { second, minute, hour, dayOfMonth, month, dayOfWeek, year, comment } = calendar;
  const said = comment ? ` (${comment})` : '';
  if (isNever(calendar)) return `Never: a field of the calendar has no value${said}`;
  const cron = [
    field(second, '0', '0-59'),
    field(minute, '0', '0-59'),
    field(hour, '0', '0-23'),
    field(dayOfMonth, '*', '1-31'),
    field(month, '*', 'JANUARY-DECEMBER'),
    field(dayOfWeek, '*', 'SUNDAY-SATURDAY'),
    field(isEmpty(year) ? undefined : year, '*'),
  ].join(' ');
  return cronInWords(cron, cron, true) + said;
}

/** @param whole the field's range that stands for a wildcard in Temporal's `describe` */
function component(value: unknown, whole: string | undefined): string {
  const text = (one: unknown) => (typeof one === 'string' ? one.slice(0, 3) : String(one));
  if (value === null || typeof value !== 'object') return text(value);
  const { start, end, step } = value as { start: unknown; end?: unknown; step?: number };
  if (`${start}-${end}` === whole && (step ?? 1) === 1) return '*';
  // Temporal's SDK sends a missing end as 1, so a valid range without an end starts at 0 (or Sunday) or 1.
  const last = end === undefined ? (start === 'SUNDAY' ? 'MONDAY' : start === 0 ? 1 : start) : end;
  // A range from 9 to 9 means only 9, whatever its step, but `9/2` would continue to the end of the day.
  if (last === start || !last) return text(start);
  const range = `${text(start)}-${text(last)}`;
  return step !== undefined && step > 1 ? `${range}/${step}` : range;
}

function intervalInWords(interval: IntervalSpec): string {
  const offset = interval.offset ? readDuration(interval.offset, '') : 0;
  const from = interval.anchor ? ` counted from ${iso(interval.anchor)}` : '';
  return `Every ${duration(readDuration(interval.every, ''))}${from}${offset > 0 ? `, ${duration(offset)} after` : ''}`;
}

const UNITS: [string, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

function duration(ms: number): string {
  let rest = Math.floor(ms / 1000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(counted(count, unit));
  }
  return parts.join(' ') || '0 seconds';
}

function iso(value: unknown): string {
  return new Date(readInstant(value, '')).toISOString().replace('.000', '');
}
