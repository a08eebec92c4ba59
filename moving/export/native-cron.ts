import { InvalidScheduleError } from '../../core/errors';

const MACROS: Record<string, string> = {
  '@minutely': '* * * * *',
  '@secondly': '* * * * * *',
  '@weekdays': '0 0 * * 1-5',
  '@weekends': '0 0 * * 0,6',
};
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * Translates an expression of `spec.cron` into expressions with the same local times in Temporal. If both day fields
 * are restricted, `spec.cron` requires a match of one of them, but Temporal requires both: such an expression becomes
 * two.
 *
 * @throws {InvalidScheduleError} that names the part without a counterpart in Temporal
 */
export function nativeCron(expression: string): string[] {
  const text = expression.trim().toLowerCase();
  if (text.startsWith('@') && MACROS[text] === undefined) return [text];
  const fields = (MACROS[text] ?? text).replaceAll('?', '*').split(/\s+/);
  const all = fields.length === 5 ? ['0', ...fields, '*'] : fields.length === 6 ? [...fields, '*'] : fields;
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year] = all as [string, ...string[]] & string[];
  for (const field of [second, minute, hour, dayOfMonth, dayOfWeek]) {
    if (/(^|[^a-z])(\d*[lw]+|h)([^a-z]|$)|#|[a-z]l([^a-z]|$)/.test(field!)) {
      throw new InvalidScheduleError('spec.cron', `'${expression}' has '${field}': Temporal has no L, W, # and H`);
    }
  }
  for (const field of [second, minute, hour, dayOfMonth, month]) {
    if (/(\d+)-(\d+)/.test(field!) && fallsDown(field!)) {
      throw new InvalidScheduleError('spec.cron', `'${expression}' has a range that wraps around, '${field}'`);
    }
  }
  const days = weekdays(dayOfWeek!);
  const join = (day: string, weekday: string) => [second, minute, hour, day, month, weekday, year].join(' ');
  const restricted = (field: string) => !/^\*(\/0*1)?$/.test(field);
  if (restricted(dayOfMonth!) && restricted(dayOfWeek!)) return [join(dayOfMonth!, '*'), join('*', days)];
  return [join(dayOfMonth!, days)];
}

function fallsDown(field: string): boolean {
  return [...field.matchAll(/(\d+)-(\d+)/g)].some(([, from, to]) => Number(from) > Number(to));
}

/** Writes weekdays as numbers from 0 to 6. In Temporal, the numbers of a range must rise. */
function weekdays(field: string): string {
  const items = field.replace(/[a-z]{3,}/g, (name) => String(DAYS.indexOf(name.slice(0, 3)))).split(',');
  if (items.some((item) => item === '*')) return '*';
  const found = items.flatMap((item) => {
    const [, all, from, to, step] = /^(?:(\*)|(\d)(?:-(\d))?)(?:\/(\d+))?$/.exec(item) ?? [];
    const first = all === undefined ? Number(from) : 0;
    const end = to === undefined ? (step === undefined && all === undefined ? first : Math.max(first, 6)) : Number(to);
    const last = end < first ? end + 7 : end;
    const by = Number(step ?? 1);
    return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => (first + index * by) % 7);
  });
  return [...new Set(found)].sort().join(',');
}
