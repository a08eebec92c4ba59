import { InvalidScheduleError } from '../../core/errors';
import {
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  fieldAsOurs,
  HOUR,
  MINUTE,
  MONTH,
  type QuartzField,
  SECOND,
  YEAR,
} from './quartz-field';
import type { Translated } from './translated';

const QUARTZ: readonly QuartzField[] = [SECOND, MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR];
const MAX_LENGTH = 1_024;

export const CLOCK_NOTE =
  'Where the clocks change, a fixed time fires once here (dst ONCE); the other scheduler may miss or repeat it.';

/**
 * Translates a cron expression of Quartz: second, minute, hour, day-of-month, month, day-of-week, and optionally a
 * year. In such an expression Sunday is 1.
 *
 * @throws {InvalidScheduleError} that names the part without a counterpart
 */
export function readQuartz(expression: string, timezone?: string): Translated {
  const fields = split(expression, 'expression');
  if (fields.length !== 6 && fields.length !== 7) {
    throw new InvalidScheduleError(
      'expression',
      `'${expression}' has ${fields.length} fields; Quartz has 6 (second minute hour day-of-month month day-of-week) or 7 (year)`,
    );
  }
  const cron = asOurs(QUARTZ, fields, 'expression');
  return { spec: { cron, ...(timezone === undefined ? {} : { timezone }) }, notes: [CLOCK_NOTE] };
}

export function split(expression: string, path: string): string[] {
  if (expression.length > MAX_LENGTH) {
    throw new InvalidScheduleError(path, `is longer than ${MAX_LENGTH} characters`);
  }
  return expression.trim().split(/\s+/).filter(Boolean);
}

export function asOurs(kinds: readonly QuartzField[], fields: readonly string[], path: string): string {
  const days = [kinds.indexOf(DAY_OF_MONTH), kinds.indexOf(DAY_OF_WEEK)].map((index) => fields[index]);
  if (days.filter((day) => day === '?').length !== 1) {
    throw new InvalidScheduleError(
      path,
      "exactly one of day-of-month and day-of-week is '?'; the other one says the day",
    );
  }
  return fields.map((text, index) => fieldAsOurs(kinds[index]!, text, path)).join(' ');
}
