import { DAY_NAMES } from '../../../core/occurrences/fields';

/** Whether a day, at midnight UTC, is meant. */
type Rule = (day: Date) => boolean;

const START = 'At 00:00';
const NUMBERS = ['first', 'second', 'third', 'fourth', 'fifth'];
const WEEKDAYS =
  /, (or )?(only )?(on )?(the )?((first|second|third|fourth|fifth|last) )?(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day|, (or )?every \d+ days of the week/;

/** Reads the words of an expression that fires at midnight, as a person would. */
export function readDayWords(words: string): Rule {
  if (!words.startsWith(START)) throw new Error(`${words}: no time`);
  const text = words.slice(START.length);
  const at = WEEKDAYS.test(text) ? text.search(WEEKDAYS) : text.length;
  const days = text.slice(0, at);
  const weekdays = text.slice(at);
  const ofMonth = days === '' ? () => true : readDays(days);
  if (weekdays === '') return ofMonth;
  const ofWeek = readWeekdays(weekdays.replace(/^, (or )?(only )?/, ''));
  return (day) => (weekdays.startsWith(', or ') ? ofMonth(day) || ofWeek(day) : ofMonth(day) && ofWeek(day));
}

function readDays(words: string): Rule {
  const read = (pattern: RegExp) => pattern.exec(words)?.slice(1);
  const list = read(/^, on day (.*) of the month$/);
  const range = read(/^, between day (\d+) and (\d+) of the month$/);
  const steps = read(
    /^, every (\d+) days in a month(?:, (?:starting on day (\d+)|between day (\d+) and (\d+)) of the month)?$/,
  );
  const last = read(/^, (?:on|(\d+) days? before) the last day of the month$/);
  const near = read(/^, on the weekday nearest day (\d+) of the month$/);
  const nearLast = read(/^, on the (?:last weekday|weekday nearest to the day (\d+) before the last) of the month$/);
  const from = read(/^, starting on day (\d+) of the month$/);
  if (from) return (day) => dayOf(day) >= Number(from[0]);
  if (list) return ofList(list[0]!, (item) => (item === 'the last day' ? 'last' : Number(item)), 31, dayOf);
  if (range) return isIn(between(Number(range[0]), Number(range[1]), 31), dayOf);
  if (steps) {
    const [step, from, first, to] = steps.map((value) => (value === undefined ? undefined : Number(value)));
    return isIn(between(from ?? first ?? 1, to ?? 31, 31, step), dayOf);
  }
  if (last) return (day) => dayOf(day) === lengthOf(day) - Number(last[0] ?? 0);
  if (near) return (day) => isNearest(day, Number(near[0]));
  if (nearLast) return (day) => isNearest(day, lengthOf(day) - Number(nearLast[0] ?? 0));
  if (words === ', on the first weekday of the month') return (day) => isNearest(day, 1);
  throw new Error(`${words}: no days`);
}

function readWeekdays(words: string): Rule {
  const parts = words.split(/ and (?=on the )/).map((part): Rule => {
    const steps = /^every (\d+) days of the week(?:, (.*) through (.*))?$/.exec(part);
    if (steps) {
      const [first, last] = [weekday(steps[2] ?? 'Sunday'), weekday(steps[3] ?? 'Saturday')];
      return isIn(between(first, last, 7, Number(steps[1])), weekdayOf);
    }
    const inMonth = /^on the (.*) of the month$/.exec(part);
    return inMonth ? ofMonth(inMonth[1]!) : ofList(part.replace(/^on /, ''), weekday, 7, weekdayOf);
  });
  return (day) => parts.some((matches) => matches(day));
}

/** A list such as `first Monday and third Tuesday`, or `last Monday and Friday`. */
function ofMonth(list: string): Rule {
  let number = '';
  const rules = items(list).map((item): Rule => {
    const [name, given] = item.split(' ').reverse() as [string, string?];
    number = given ?? number;
    const nth = number;
    const which = (day: Date) =>
      nth === 'last' ? dayOf(day) > lengthOf(day) - 7 : Math.ceil(dayOf(day) / 7) === NUMBERS.indexOf(nth) + 1;
    return (day) => weekdayOf(day) === weekday(name) && which(day);
  });
  return (day) => rules.some((matches) => matches(day));
}

function ofList(list: string, read: (item: string) => number | 'last', size: number, of: (day: Date) => number): Rule {
  const values = items(list).flatMap((item) => {
    const [first, last] = item.split(' through ').map(read);
    return typeof first === 'number' && typeof last === 'number' ? between(first, last, size) : [first];
  });
  const numbers = isIn(
    values.filter((value) => typeof value === 'number'),
    of,
  );
  return (day) => numbers(day) || (values.includes('last') && dayOf(day) === lengthOf(day));
}

function items(list: string): string[] {
  return list.split(/, and |, | and /);
}

/** Every `step`-th value from `first` to `last`, past the end of the field where `last` comes before `first`. */
function between(first: number, last: number, size: number, step = 1): number[] {
  const base = size === 7 ? 0 : 1;
  const end = last < first ? last + size : last;
  return Array.from({ length: Math.floor((end - first) / step) + 1 }, (_, i) => {
    return ((first + i * step - base) % size) + base;
  });
}

function isIn(values: number[], of: (day: Date) => number): Rule {
  return (day) => values.includes(of(day));
}

function isNearest(day: Date, target: number): boolean {
  const length = lengthOf(day);
  if (target < 1 || target > length) return false;
  const on = new Date(day);
  on.setUTCDate(target);
  const move = on.getUTCDay() === 6 ? (target === 1 ? 2 : -1) : on.getUTCDay() === 0 ? (target === length ? -2 : 1) : 0;
  return dayOf(day) === target + move;
}

function weekday(name: string): number {
  const found = (DAY_NAMES as readonly string[]).indexOf(name.toUpperCase());
  if (found < 0) throw new Error(`${name}: no day of the week`);
  return found;
}

const weekdayOf = (day: Date) => day.getUTCDay();
const dayOf = (day: Date) => day.getUTCDate();
const lengthOf = (day: Date) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
