import cronstrue from 'cronstrue';
import { DAY_OF_WEEK, FIELDS, type Field, HOUR, MINUTE, MONTH, SECOND, YEAR } from '../fields';
import { TEMPORAL_YEAR } from '../ranges';
import { HASHED, hashedValues } from './cron-hash';
import { itemValues } from './cron-item';
import { MACROS } from './cron-ours';

/** `cronstrue` does not know `H`, so `H` is replaced by its values. */
export function withoutHashes(expression: string, scheduleId: string | undefined): string {
  const fields = expression.trim().split(/\s+/);
  const shift = fields.length === 5 ? 1 : 0;
  return fields
    .map((text, i) =>
      text
        .split(',')
        .map((item) => {
          const hashed = HASHED.exec(item.toUpperCase());
          if (hashed === null || scheduleId === undefined) return item;
          const given = hashed[1] === undefined ? undefined : { first: Number(hashed[1]), last: Number(hashed[2]) };
          const step = hashed[3] === undefined ? undefined : Number(hashed[3]);
          return hashedValues(FIELDS[i + shift]!, scheduleId, given, step).join(',');
        })
        .join(','),
    )
    .join(' ');
}

/** `cronstrue` knows `LW`, but not `L-3W`. */
const NEAR_THE_END = /(?<=\s)L-(\d+)W(?=\s)/i;

/**
 * Describes a valid cron expression in words, or returns `written` if `cronstrue` cannot describe it. `and` tells
 * whether both day fields must match, as in Temporal, when both are restricted.
 */
export function cronInWords(cron: string, written: string, and: boolean): string {
  const before = NEAR_THE_END.exec(cron)?.[1];
  if (before !== undefined) {
    const words = cronInWords(cron.replace(NEAR_THE_END, 'LW'), written, and);
    return words.replace('the last weekday of', `the weekday nearest to the day ${before} before the last of`);
  }
  const texts = (MACROS.get(cron.trim().toLowerCase()) ?? cron.trim()).split(/\s+/);
  const first = texts.length === 5 ? 2 : 3;
  // Of each ninth hour, every minute is *every 9 hours*, and not *at 09:00*.
  const isOneMinute = /^\d+$/.test(texts[first - 2] ?? '');
  const isHour = (i: number) => i === first - 1;
  const fields = texts.map((text, i) => {
    const field = FIELDS[i + 3 - first]!;
    const stepped = withoutVainSteps(withShortNames(text, field), field, and);
    return withoutRepeats(isHour(i) && !isOneMinute ? stepped : withoutUnevenSteps(stepped, field), field);
  });
  // `cronstrue` knows `L` and `W` only as capital letters.
  const days = (fields[first] ?? '*').toUpperCase();
  const weekdays = weekdaysOf(fields[first + 2] ?? '*', and);
  if (fields.length >= 5) Object.assign(fields, { [first]: days, [first + 2]: weekdays });
  const words = inWords(fields.join(' '));
  if (/error/i.test(words) || fields.some(isListWithWildcard) || isMisread(days, weekdays)) return written.trim();
  if (and || ANY.test(days) || ANY.test(weekdays)) return words;
  const onWeekdays = inWords(`* * * * * ${weekdays}`).replace('Every second', '');
  const isEveryDay = inWords(`* * * ${days} * *`) === 'Every second';
  return words.replace(onWeekdays, isEveryDay ? '' : onWeekdays.replace(/^, (only )?/, ', or '));
}

const ANY = /^[*?](\/0*1)?$/;
/** An item with a step. Its groups are the first value, the last one and the step. */
const STEPPED = /^(?:[*?]|(\w+)(?:-(\w+))?)\/(\d+)$/;

/**
 * A step beyond the end of its range or field leaves only the first value, but `cronstrue` describes `9-9/2` as *every
 * 2 hours* and `0/90` as *every 90 minutes*.
 */
function withoutVainSteps(text: string, named: Field, isTemporal: boolean): string {
  const field = isTemporal && named === YEAR ? TEMPORAL_YEAR : named;
  const isWeek = field === DAY_OF_WEEK;
  const size = isWeek ? 7 : field.max - field.min + 1;
  const items = text.split(',').map((item) => {
    const [, first, last, step] = STEPPED.exec(item) ?? [];
    const from = first === undefined ? field.min : numberOf(first, field);
    const reachesSunday = !isWeek || (isTemporal && first !== undefined);
    const end = last !== undefined ? numberOf(last, field) : reachesSunday ? field.max : Math.max(6, from);
    // A range may wrap, and that of the days from 0 to 7 has Sunday twice.
    const to = Math.min(end < from ? end + size : end, from + size - 1);
    return from + Number(step) > to ? String(from) : item;
  });
  return [...new Set(items)].join(',');
}

/** The fields in which a step looks like a pause of even length. */
const EVEN: readonly Field[] = [SECOND, MINUTE, HOUR, MONTH];

/**
 * Steps begin again with each minute, hour, day or year: after 56 minutes, 0/7 goes on with 0. So such a step is written
 * as its values, since `cronstrue` describes it as *every 7 minutes*. A list with any step is written so too, since
 * `cronstrue` describes 0 in it as *every hour*.
 */
function withoutUnevenSteps(text: string, field: Field): string {
  const items = text.split(',');
  const isPlain = items.length > 1 ? !text.includes('/') || isListWithWildcard(text) : !isUneven(text, field);
  if (!EVEN.includes(field) || isPlain) return text;
  const values = items.map((item) => {
    const [body = '', step] = item.split('/');
    const numbers = body.replace(/\w+/g, (word) => String(numberOf(word, field)));
    return itemValues(field, numbers, step === undefined ? undefined : Number(step));
  });
  if (values.includes(undefined)) return text;
  const all = [...new Set(values.flatMap((some) => some!))].sort((a, b) => a - b);
  if (all.length === field.max - field.min + 1) return '*';
  // A range of hours would make it *every hour*.
  return field === HOUR ? all.join(',') : inRanges(all);
}

/** Ascending values, with three or more in a row as a range. */
function inRanges(values: number[]): string {
  const ranges: number[][] = [];
  for (const value of values) {
    const last = ranges.at(-1);
    if (last?.at(-1) === value - 1) last.push(value);
    else ranges.push([value]);
  }
  return ranges.map((range) => (range.length < 3 ? range.join(',') : `${range[0]}-${range.at(-1)}`)).join(',');
}

/** Whether an item repeats beyond its field, and its pause is another one there. A step within a range does not. */
function isUneven(item: string, field: Field): boolean {
  const [, first, last, step] = STEPPED.exec(item) ?? [];
  if (step === undefined || Number(step) === 1) return false;
  const { min, max } = field;
  const from = first === undefined ? min : numberOf(first, field);
  if (last !== undefined && (from !== min || numberOf(last, field) !== max)) return false;
  return (max - min + 1) % Number(step) !== 0 || from - min >= Number(step);
}

/** Each single value once, also if it is written in several ways, such as `0`, `7` and `SUN`. */
function withoutRepeats(text: string, field: Field): string {
  const seen = new Set<number>();
  const items = text.split(',').filter((item) => {
    const value = /^\w+$/.test(item) ? numberOf(item, field) : Number.NaN;
    if (Number.isNaN(value)) return true;
    const known = field === DAY_OF_WEEK ? value % 7 : value;
    return !seen.has(known) && seen.add(known);
  });
  return items.join(',');
}

/** Names by their first three letters, as `cronstrue` knows them. An `L` behind a day means the last one of the month. */
function withShortNames(text: string, field: Field): string {
  return text.replace(/[a-z]{2,}/gi, (word) => {
    const [, name = '', last = ''] = (field === DAY_OF_WEEK && /^(.*?)(l?)$/i.exec(word)) || [word, word];
    return `${field.names?.find((one) => one.startsWith(name.toUpperCase()))?.slice(0, 3) ?? name}${last.toUpperCase()}`;
  });
}

function numberOf(text: string, { names, nameBase }: Field): number {
  const index = names?.findIndex((name) => name.startsWith(text.toUpperCase())) ?? -1;
  return index < 0 ? Number(text) : index + nameBase!;
}

/** Whether a list contains a wildcard, such as `1,*`, which `cronstrue` describes as *on day 1 and undefined*. */
function isListWithWildcard(text: string): boolean {
  return text.includes(',') && /(^|,)[*?](\/0*1)?(,|$)/.test(text);
}

/** The days of the week, written so that `cronstrue` reads them as they are meant. */
function weekdaysOf(text: string, isTemporal: boolean): string {
  // `cronstrue` knows `L` only as a capital letter.
  let weekdays = text.toUpperCase();
  if (isTemporal) {
    // In Temporal, the days of `3/2` end on the next Sunday, but those of `1-7` on Saturday.
    weekdays = weekdays.replace(/(?<![^,])([0-6]|[a-z]+)\//gi, '$1-7/');
    weekdays = weekdays.replace(/(?<![^,])(1|mon)-7(?=(\/1)?(,|$))/gi, '1-6');
  }
  // `0-7` is written as `0-6`, since a reader would take *Sunday through Sunday* for one day.
  return weekdays.replace(/(?<![^,])(0|sun)-7/gi, '0-6');
}

/** Whether `cronstrue` leaves out a part of the day fields, or describes it wrongly. */
function isMisread(days: string, weekdays: string): boolean {
  if (days.includes(',') && /L-/.test(days)) return true;
  return weekdays.includes('#') && weekdays.split(',').some((item) => !/#|\dL/i.test(item));
}

function inWords(cron: string): string {
  return cronstrue.toString(cron, {
    use24HourTimeFormat: true,
    throwExceptionOnParseError: false,
    logicalAndDayFields: true,
  });
}

export function temporalInWords(expression: string): string {
  const [fields = '', ...rest] = expression
    .trim()
    .replace(/^(CRON_)?TZ=\S+ /, '')
    .split('#');
  const comment = rest.join('#').trim();
  const suffix = comment === '' ? '' : ` (${comment})`;
  const every = /^@every\S* (.*)$/.exec(fields.trim());
  if (every !== null) {
    const [interval, phase] = every[1]!.split('/');
    return `Every ${interval}${!phase ? '' : `, ${phase} after`}${suffix}`;
  }
  const atoms = fields.trim().split(/\s+/);
  // In Temporal the last of six fields is the year; `cronstrue` may read the first as seconds instead.
  const seven = atoms.length === 6 ? ['0', ...atoms] : atoms;
  return cronInWords(seven.join(' '), fields, true) + suffix;
}
