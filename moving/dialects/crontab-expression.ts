import { InvalidScheduleError } from '../../core/errors';
import { compileSpec } from '../../core/occurrences';
import type { ScheduleSpec } from '../../core/schedule/spec';

export interface CrontabSpec {
  spec: ScheduleSpec;
  became: string[];
  decide: string[];
}

const MACROS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * Translates a cron expression as Linux and BSD read it.
 *
 * @param scheduleId the ID from which the value of `~` is computed
 * @throws {InvalidScheduleError} that names the part without a counterpart
 */
export function crontabSpec(expression: string, scheduleId: string): CrontabSpec {
  if (expression.toLowerCase() === '@reboot') {
    throw new InvalidScheduleError(
      '@reboot',
      'is no time, and has no counterpart; start that program with its machine',
    );
  }
  if (expression.startsWith('@') && !MACROS.includes(expression.toLowerCase())) {
    throw new InvalidScheduleError(expression, `is no macro that has a counterpart; ${MACROS.join(', ')} have`);
  }
  if (/[LWH#?]/i.test(expression.replace(/[A-Za-z]{3,}/g, ''))) {
    throw new InvalidScheduleError(
      expression,
      'L, W, H, # and ? are not of cron; write spec.cron by hand if they are meant',
    );
  }
  const found: CrontabSpec = { spec: { cron: withSpread(expression) }, became: [], decide: [] };
  if (expression.includes('~')) {
    found.became.push('~, a random value of each start of cron -> H, a value that the schedule’s ID decides');
  }
  const and = bothDays(expression);
  if (and !== undefined) {
    found.spec = { cronExpressions: [and] };
    found.became.push('a day field that begins with * -> cronExpressions: cron wants both day fields to match there');
    found.decide.push('cronExpressions follow Temporal’s rule where the clocks change: see docs/time.md');
  }
  compileSpec(found.spec, { scheduleId });
  return found;
}

/** Translates `~` and `10~20`, which cronie and OpenBSD have. */
function withSpread(expression: string): string {
  return expression.replace(/(?<=^|[\s,])(\d*)~(\d*)(?=$|[\s,/])/g, (written, from, to) => {
    if (from === '' && to === '') return 'H';
    if (from === '' || to === '') throw new InvalidScheduleError(expression, `'${written}' needs both its ends here`);
    return `H(${from}-${to})`;
  });
}

/**
 * In cron, a day field that begins with `*`, such as every second day, does not count as restricted. With such a field,
 * cron wants both day fields to match; in `spec.cron`, a match of one is enough. Returns undefined if `spec.cron` reads
 * the expression as cron does.
 */
function bothDays(expression: string): string | undefined {
  const fields = expression.split(' ');
  const [dayOfMonth, dayOfWeek] = [fields[2], fields[4]];
  if (dayOfMonth === undefined || dayOfWeek === undefined) return undefined;
  const isStarred = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*');
  const isPlain = [dayOfMonth, dayOfWeek].some((field) => /^\*(\/1)?$/.test(field));
  if (!isStarred || isPlain) return undefined;
  if (/[~H]/.test(expression)) {
    throw new InvalidScheduleError(expression, 'a day field that begins with * beside ~ has no counterpart');
  }
  return [...fields.slice(0, 4), weekdays(dayOfWeek)].join(' ');
}

/** Temporal's ranges end on Saturday, while cron also uses 7 for Sunday. */
function weekdays(field: string): string {
  const numbered = field.toLowerCase().replace(/[a-z]{3,}/g, (name) => String(DAYS.indexOf(name.slice(0, 3))));
  const days = numbered.split(',').flatMap((item) => {
    const [, all, from, to, step] = /^(?:(\*)|(\d)(?:-(\d))?)(?:\/(\d+))?$/.exec(item) ?? [];
    // A step of 0 stays, so that it is refused like any other bad item.
    if ((all === undefined && from === undefined) || Number(step) === 0) return [item];
    const first = all === undefined ? Number(from) : 0;
    const last = all !== undefined ? 6 : to !== undefined ? Number(to) : step === undefined ? first : 6;
    const count = Math.max(0, Math.floor((last - first) / Number(step ?? 1)) + 1);
    return Array.from({ length: count }, (_, index) => String((first + index * Number(step ?? 1)) % 7));
  });
  return [...new Set(days)].join(',');
}
