import { didYouMean } from '../../closest';
import { InvalidScheduleError } from '../../errors';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field, MONTH, YEAR } from '../fields';
import { show } from '../show';
import { HASHED, hashedValues } from './cron-hash';
import { itemValues } from './cron-item';

export interface CronField {
  values: number[];
  /** `lastDays` to `nthWeekdays` have the form of these fields in `Calendar`. */
  lastDays: number;
  nearDays: number;
  nearLastDays: number;
  lastWeekdays: number;
  nthWeekdays: number[] | undefined;
  /** Whether the field is anything except `*`, `?` or one of these with a step of 1. */
  restricted: boolean;
  /**
   * Whether the field has a wildcard, a step, or all values: the field then stands for a repetition, not for a fixed
   * time.
   */
  cadence: boolean;
}

export interface CronContext {
  path: string;
  scheduleId: string | undefined;
  /**
   * Whether the caller gives the expression now. A stored expression may contain what is refused in a new one. @default
   * false
   */
  given?: boolean | undefined;
}

const STEPPED = /^(\*|\?|\d+|\d+-\d+)(?:\/(\d+))?$/;

export function readField(field: Field, text: string, context: CronContext): CronField {
  const result: CronField = {
    values: [],
    lastDays: 0,
    nearDays: 0,
    nearLastDays: 0,
    lastWeekdays: 0,
    nthWeekdays: undefined,
    restricted: !/^[*?](\/0*1)?$/.test(text),
    cadence: /[*?/]/.test(text),
  };
  for (const item of text.split(',')) readItem(field, item, result, context);
  const size = field === DAY_OF_WEEK ? 7 : field.max - field.min + 1;
  if (new Set(result.values).size === size) result.cadence = true;
  return result;
}

function readItem(field: Field, written: string, result: CronField, context: CronContext): void {
  const item = withoutNames(field, written.toUpperCase(), context);
  const refuse = (problem: string): never => {
    throw new InvalidScheduleError(context.path, problem);
  };
  const hashed = HASHED.exec(item);
  if (hashed !== null) {
    result.values.push(...readHashed(field, written, hashed, context));
    return;
  }
  if (field === DAY_OF_MONTH && readSpecialDay(item, result)) return;
  const nth = /^([0-7])#([1-5])$/.exec(item);
  const last = /^([0-7])L$/.exec(item);
  if (field === DAY_OF_WEEK && nth !== null) {
    result.nthWeekdays ??= [0, 0, 0, 0, 0];
    result.nthWeekdays[Number(nth[2]) - 1]! |= 1 << (Number(nth[1]) % 7);
    return;
  }
  if (field === DAY_OF_WEEK && last !== null) {
    result.lastWeekdays |= 1 << (Number(last[1]) % 7);
    return;
  }
  const stepped = STEPPED.exec(item);
  const step = stepped?.[2] === undefined ? undefined : Number(stepped[2]);
  if (step !== undefined && step < 1) refuse(`${field.label} ${show(written)}: a step is at least 1`);
  const values = stepped === null ? undefined : itemValues(field, stepped[1]!, step);
  if (values === undefined) refuse(notAllowed(field, written));
  // Years do not repeat, so a reversed range such as `2030-2028` would mean nearly all years.
  if (context.given && field === YEAR && isReversed(stepped![1]!)) {
    refuse(`${field.label} ${show(written)} ends before it begins`);
  }
  for (const value of values!) result.values.push(field === DAY_OF_WEEK ? value % 7 : value);
}

function isReversed(range: string): boolean {
  const [first, last = first] = range.split('-').map(Number);
  return first! > last!;
}

/** Parses an item such as `L`, `L-3`, `LW`, `L-3W` or `15W`; returns false for any other item. */
function readSpecialDay(item: string, result: CronField): boolean {
  const last = /^L(?:-(\d{1,2}))?(W?)$/.exec(item);
  const near = /^(\d{1,2})W$/.exec(item);
  const before = Number(last?.[1] ?? 0);
  const day = Number(near?.[1] ?? 0);
  if (last !== null && before < DAY_OF_MONTH.max) {
    if (last[2] === '') result.lastDays |= 1 << before;
    else result.nearLastDays |= 1 << before;
    return true;
  }
  if (day < DAY_OF_MONTH.min || day > DAY_OF_MONTH.max) return false;
  result.nearDays |= 1 << (day - 1);
  return true;
}

function readHashed(field: Field, written: string, hashed: RegExpExecArray, context: CronContext): number[] {
  const refuse = (problem: string): never => {
    throw new InvalidScheduleError(context.path, `${field.label} ${show(written)}: ${problem}`);
  };
  if (field === YEAR) refuse('H is not allowed here');
  if (context.scheduleId === undefined) refuse('H spreads schedules by their ID, so it needs a scheduleId');
  const first = hashed[1] === undefined ? undefined : Number(hashed[1]);
  const last = Number(hashed[2]);
  const max = field === DAY_OF_WEEK ? 6 : field.max;
  if (first !== undefined && (first < field.min || last > max || first > last)) {
    refuse(`the range of H lies in ${field.min}-${max}`);
  }
  const step = hashed[3] === undefined ? undefined : Number(hashed[3]);
  if (step !== undefined && step < 1) refuse('a step is at least 1');
  const given = first === undefined ? undefined : { first, last };
  return hashedValues(field, context.scheduleId!, given, step);
}

/** Replace names of months and days, whole or shortened to three letters or more, with numbers. */
function withoutNames(field: Field, item: string, context: CronContext): string {
  const { names } = field;
  if (names === undefined) return item;
  return item.replace(/[A-Z]{2,}/g, (word) => {
    // No name of a day contains an L, so an L at the end means the last such day of the month.
    const name = field === DAY_OF_WEEK && word.endsWith('L') ? word.slice(0, -1) : word;
    const index = names.findIndex((candidate) => name.length >= 3 && candidate.startsWith(name));
    if (index >= 0) return `${index + field.nameBase!}${word.slice(name.length)}`;
    const short = names.map((candidate) => candidate.slice(0, 3));
    throw new InvalidScheduleError(
      context.path,
      `${notAllowed(field, word)}${didYouMean(word, word.length > 4 ? names : short)}`,
    );
  });
}

function notAllowed(field: Field, written: string): string {
  const extra =
    field === DAY_OF_MONTH
      ? ', L (the last day), L-3, 15W (the nearest weekday), LW, L-3W'
      : field === DAY_OF_WEEK
        ? ' (0 and 7 are Sunday), names SUN-SAT, 5L (the last Friday), 5#2 (the second Friday)'
        : field === MONTH
          ? ', names JAN-DEC'
          : '';
  const what = written === '' ? 'is empty' : `${show(written)} is not allowed`;
  return `${field.label} ${what}; ${field.min}-${field.max}${extra}, lists, ranges, steps and * are`;
}
