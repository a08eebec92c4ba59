import { InvalidScheduleError } from '../../core/errors';

export interface QuartzField {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** Three-letter names of the values; the first name stands for `min`. */
  readonly names?: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

export const SECOND: QuartzField = { label: 'second', min: 0, max: 59 };
export const MINUTE: QuartzField = { label: 'minute', min: 0, max: 59 };
export const HOUR: QuartzField = { label: 'hour', min: 0, max: 23 };
export const DAY_OF_MONTH: QuartzField = { label: 'day-of-month', min: 1, max: 31 };
export const MONTH: QuartzField = { label: 'month', min: 1, max: 12, names: MONTHS };
/** In this field Sunday is 1; in `spec.cron` it is 0. */
export const DAY_OF_WEEK: QuartzField = { label: 'day-of-week', min: 1, max: 7, names: DAYS };
/** The years that `spec.cron` allows. */
export const YEAR: QuartzField = { label: 'year', min: 1970, max: 2100 };

const ITEM = /^(?:(\*)|([A-Z]{3}|\d+)(?:-([A-Z]{3}|\d+))?)?(?:\/(\d+))?$/;
const LAST_DAYS = /^L(-([0-9]|[12]\d|30))?W?$/;
const NEAR_DAY = /^([1-9]|[12]\d|3[01])W$/;
const NTH_DAY = /^([A-Z]{3}|\d)#([1-5])$/;
const LAST_WEEKDAY = /^([A-Z]{3}|\d)?L$/;

/**
 * Translates one field to the form of `spec.cron`.
 *
 * @throws {InvalidScheduleError} that names `path`, the field and the item without a counterpart
 */
export function fieldAsOurs(field: QuartzField, text: string, path: string): string {
  if (text === '?') {
    if (field === DAY_OF_MONTH || field === DAY_OF_WEEK) return '?';
    throw new InvalidScheduleError(path, `${field.label} '?' is not allowed; only the day fields take it`);
  }
  return text
    .split(',')
    .map((item) => itemAsOurs(field, item.toUpperCase(), path))
    .join(',');
}

function itemAsOurs(field: QuartzField, item: string, path: string): string {
  const refuse = (problem: string): never => {
    throw new InvalidScheduleError(path, `${field.label} '${item}' ${problem}`);
  };
  if (/^(\d+)?C$/.test(item))
    refuse("asks a Quartz calendar, which has no counterpart; use spec.skip for a calendar's days");
  if (field === DAY_OF_MONTH && (LAST_DAYS.test(item) || NEAR_DAY.test(item))) return item;
  if (field === DAY_OF_WEEK) {
    const special = specialWeekday(item, (value) => numberOf(field, value) ?? refuse(allowed(field)));
    if (special !== undefined) return special;
  }
  const [, all, first, last, step] = ITEM.exec(item) ?? refuse(allowed(field));
  if (item === '') refuse(`is empty; ${allowed(field)}`);
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) {
    refuse(`has a step that is not from 1 to ${field.max}`);
  }
  const by = step === undefined ? '' : `/${step}`;
  if (all !== undefined || first === undefined) return `*${by}`;
  const from = numberOf(field, first) ?? refuse(allowed(field));
  if (last === undefined) return `${ours(field, from)}${by}`;
  const to = numberOf(field, last) ?? refuse(allowed(field));
  if (field === YEAR && from > to) refuse('ends before it begins');
  return `${ours(field, from)}-${ours(field, to)}${by}`;
}

/** Translates `6#3`, `FRI#3`, `6L`, `FRIL`, and a single `L`, which is Saturday. */
function specialWeekday(item: string, read: (value: string) => number): string | undefined {
  const nth = NTH_DAY.exec(item);
  if (nth !== null) return `${ours(DAY_OF_WEEK, read(nth[1]!))}#${nth[2]}`;
  const last = LAST_WEEKDAY.exec(item);
  if (last === null) return undefined;
  return last[1] === undefined ? '6' : `${ours(DAY_OF_WEEK, read(last[1]))}L`;
}

function numberOf(field: QuartzField, text: string): number | undefined {
  const name = field.names?.indexOf(text) ?? -1;
  if (name >= 0) return field.min + name;
  const value = Number(text);
  return /^\d+$/.test(text) && value >= field.min && value <= field.max ? value : undefined;
}

function ours(field: QuartzField, value: number): number {
  return field === DAY_OF_WEEK ? value - 1 : value;
}

function allowed({ label, min, max, names }: QuartzField): string {
  const words = names ? ` and ${names[0]}-${names.at(-1)}` : '';
  const special =
    label === 'day-of-month'
      ? ', L, L-3, 15W, LW'
      : label === 'day-of-week'
        ? ', 6L (the last Friday), 6#2 (the second Friday)'
        : '';
  return `is not allowed; ${min}-${max}${words}${special}, lists, ranges, steps and * are`;
}
