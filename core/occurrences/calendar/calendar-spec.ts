import { didYouMean } from '../../closest';
import { InvalidScheduleError } from '../../errors';
import type { CalendarSpec } from '../../schedule/spec';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field, HOUR, MINUTE, MONTH, SECOND } from '../fields';
import { type CalendarRanges, type FieldRange, only, TEMPORAL_YEAR } from '../ranges';
import { refuseUnknown } from '../read';
import { show } from '../show';
import { spend } from '../steps';

const FIELDS = [SECOND, MINUTE, HOUR, DAY_OF_MONTH, MONTH, { ...DAY_OF_WEEK, max: 6 }, TEMPORAL_YEAR] as const;
const KEYS = [...FIELDS.map((field) => field.key), 'comment'];
const encoder = new TextEncoder();
const STEPS_AN_ITEM = 100;
const END_OF_THE_SDK = 1;
const ZERO_BY_DEFAULT: readonly Field[] = [SECOND, MINUTE, HOUR];

/** Reads a CalendarSpec of `spec.calendars` or `spec.skip` as the SDK encodes it and the server reads it. */
export function readCalendarSpec(spec: CalendarSpec, path: string): CalendarRanges {
  if (spec === null || typeof spec !== 'object' || Array.isArray(spec)) {
    throw new InvalidScheduleError(path, `is a calendar such as { hour: 9 }, not ${show(spec)}`);
  }
  refuseUnknown(spec, KEYS, path);
  const { comment = '' } = spec;
  if (typeof comment !== 'string') throw new InvalidScheduleError(`${path}.comment`, `${show(comment)} is no text`);
  if (encoder.encode(comment).length > 200) {
    throw new InvalidScheduleError(`${path}.comment`, 'is longer than 200 bytes');
  }
  const ranges = FIELDS.map((field) => [field.key, readComponent(field, spec[field.key], `${path}.${field.key}`)]);
  return Object.fromEntries(ranges);
}

function readComponent(field: Field, given: unknown, path: string): FieldRange[] {
  if (given === undefined || given === null) return ZERO_BY_DEFAULT.includes(field) ? [only(0)] : wildcard(field);
  if (given === '*') return wildcard(field);
  return (Array.isArray(given) ? given : [given]).map((item) => readRange(field, item, path));
}

/** A missing year means every year, as in the server. */
function wildcard(field: Field): FieldRange[] {
  return field === TEMPORAL_YEAR ? [] : [{ start: field.min, end: field.max, step: 1 }];
}

function readRange(field: Field, item: unknown, path: string): FieldRange {
  spend(STEPS_AN_ITEM);
  if (item === null || typeof item !== 'object') return only(readValue(field, item, path));
  refuseUnknown(item, ['start', 'end', 'step'], path);
  const { start, end, step } = item as { start?: unknown; end?: unknown; step?: unknown };
  const from = readValue(field, start, `${path}.start`);
  const to = readEnd(field, from, end, path);
  if (to < from) throw new InvalidScheduleError(path, `its end ${show(end)} is before its start ${show(start)}`);
  if (step !== undefined && step !== null && !Number.isInteger(step)) {
    throw new InvalidScheduleError(`${path}.step`, `is a whole number, not ${show(step)}`);
  }
  return { start: from, end: to, step: typeof step === 'number' && step > 0 ? step : 1 };
}

/**
 * If a range has no end, Temporal's SDK sends an end of 1. The server refuses an end of 1 after a later start, and
 * reads an end of 0 as no end.
 */
function readEnd(field: Field, from: number, end: unknown, path: string): number {
  if (end === null || end === 0) return from;
  if (end !== undefined) return readValue(field, end, `${path}.end`);
  if (from <= END_OF_THE_SDK) return END_OF_THE_SDK;
  throw new InvalidScheduleError(
    `${path}.end`,
    'is missing: Temporal takes 1 for it; write the value alone, or give the range its end',
  );
}

function readValue(field: Field, value: unknown, path: string): number {
  const { names } = field;
  if (names !== undefined) {
    const index = names.indexOf(value as string);
    if (index >= 0) return index + field.nameBase!;
    const hint = typeof value === 'string' ? didYouMean(value, names) : '';
    throw new InvalidScheduleError(path, `${show(value)} is not allowed; ${names[0]} to ${names.at(-1)} are${hint}`);
  }
  if (typeof value === 'number' && Number.isInteger(value) && value >= field.min && value <= field.max) return value;
  throw new InvalidScheduleError(path, `${show(value)} is not allowed; a number in ${field.min}-${field.max} is`);
}
