import { didYouMean } from '../../closest';
import { counted } from '../../counted';
import { InvalidScheduleError } from '../../errors';
import type { DstPolicy } from '../../schedule/spec';
import type { Calendar } from '../calendar/calendar';
import { calendarOf } from '../calendar/calendar-of';
import { DAY_OF_MONTH, DAY_OF_WEEK, HOUR, MINUTE, MONTH, SECOND, YEAR } from '../fields';
import { show } from '../show';
import { spend } from '../steps';
import { type CronContext, readField } from './cron-field';

export const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
  ['@minutely', '* * * * *'],
  ['@secondly', '* * * * * *'],
  ['@weekdays', '0 0 * * 1-5'],
  ['@weekends', '0 0 * * 0,6'],
]);

const MAX_LENGTH = 1024;
const STEPS_AN_EXPRESSION = 200;

/**
 * Parse an expression of `spec.cron`: 5 fields; 6 with leading seconds; 7 with trailing year; or a macro.
 *
 * @throws {InvalidScheduleError} naming the field and the value
 */
export function readCron(expression: unknown, dst: DstPolicy, context: CronContext): Calendar {
  if (typeof expression !== 'string') {
    throw new InvalidScheduleError(context.path, `a cron expression is a string, not ${show(expression)}`);
  }
  spend(STEPS_AN_EXPRESSION + expression.length);
  const fields = split(expression, context.path);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = [
    SECOND,
    MINUTE,
    HOUR,
    DAY_OF_MONTH,
    MONTH,
    DAY_OF_WEEK,
  ].map((field, i) => readField(field, fields[i]!, context));
  const year = fields[6] === undefined || fields[6] === '*' ? undefined : readField(YEAR, fields[6], context);
  return calendarOf({
    second: second!.values,
    minute: minute!.values,
    hour: hour!.values,
    dayOfMonth: dayOfMonth!.values,
    month: month!.values,
    dayOfWeek: dayOfWeek!.values,
    year: year?.values,
    lastDays: dayOfMonth!.lastDays,
    nearDays: dayOfMonth!.nearDays,
    nearLastDays: dayOfMonth!.nearLastDays,
    lastWeekdays: dayOfWeek!.lastWeekdays,
    nthWeekdays: dayOfWeek!.nthWeekdays,
    either: dayOfMonth!.restricted && dayOfWeek!.restricted,
    once: dst === 'ONCE' && !hour!.cadence && !minute!.cadence,
  });
}

/** Splits an expression into seven fields in order; the year may be missing. */
function split(expression: string, path: string): string[] {
  const refuse = (problem: string): never => {
    throw new InvalidScheduleError(path, problem);
  };
  if (expression.length > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} characters`);
  let text = expression.trim();
  if (text.startsWith('@')) text = MACROS.get(text.toLowerCase()) ?? refuse(unknownMacro(text));
  if (/^(CRON_)?TZ=/.test(text)) refuse('a time zone in front is not supported here; write it in spec.timezone');
  const fields = text === '' ? [] : text.split(/\s+/);
  if (fields.length === 5) return ['0', ...fields];
  if (fields.length === 6 || fields.length === 7) return fields;
  return refuse(
    `${show(expression)} has ${counted(fields.length, 'field')}; 5 (minute hour day-of-month month day-of-week), ` +
      '6 (leading second) or 7 (trailing year) are allowed',
  );
}

function unknownMacro(text: string): string {
  if (/^@every\b/i.test(text)) return '@every is not supported here; spec.intervals is: [{ every: "5 minutes" }]';
  const names = [...MACROS.keys()];
  return `${show(text)} is not a macro; ${names.join(', ')} are${didYouMean(text, names)}`;
}
