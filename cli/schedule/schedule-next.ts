import { given } from '../../core/given';
import { compileSpec } from '../../core/occurrences';
import { describeSpec } from '../../core/occurrences/describe';
import type { DstPolicy, ScheduleSpec } from '../../core/schedule/spec';
import { readTimeOrDate, showTime, zoneOf } from '../../core/spec-zone';
import { type Dialect, translate } from '../../moving/dialects/dialects';
import { literal } from '../../moving/dialects/literal';
import { CLOCK_NOTE } from '../../moving/dialects/quartz';

export interface ScheduleNextOptions {
  /** The IANA time zone in which the expression is evaluated. @default UTC */
  timeZone?: string;
  /** The times after this one are shown: ISO 8601, in the time zone unless it has an offset. @default now */
  from?: string;
  /** How many times are shown. @default 5 */
  count?: number;
  json?: boolean;
  dst?: DstPolicy;
  /** Names of calendars, and dates, on which the expression does not fire. */
  skipDays?: string[];
  onlyDays?: string[];
  /** The days of the calendars that are named. */
  calendarDays?: NonNullable<ScheduleSpec['calendarDays']>;
  /** The schedule ID from which the values of `H` are computed. */
  id?: string;
  /** Whether the expression is read as Temporal reads it, and not as `spec.cron`. */
  temporal?: boolean;
  /** The scheduler by whose rules the expression is read. */
  dialect?: Dialect;
}

/**
 * `escapement schedule next`: explains an expression in words and lists its next times, without a server.
 *
 * @throws {InvalidScheduleError} if the expression or an option is not valid
 */
export function scheduleNext(
  expression: string,
  options: ScheduleNextOptions,
  write: (text: string) => void,
  now: () => Date = () => new Date(),
): void {
  const { timeZone: timezone, dst, id, temporal, dialect, json, skipDays, onlyDays, calendarDays } = options;
  const count = options.count ?? 5;
  const translated = dialect && translate(dialect, expression, timezone);
  // `CLOCK_NOTE` describes the default, `dst: 'ONCE'`, so it is left out for `LITERAL`.
  const notes = translated?.notes.filter((note) => note !== CLOCK_NOTE || dst !== 'LITERAL');
  const spec: ScheduleSpec = {
    ...(translated?.spec ?? (temporal ? { cronExpressions: [expression] } : { cron: expression })),
    ...given({ timezone, dst, skipDays, onlyDays, calendarDays }),
  };
  const zone = zoneOf(spec);
  // This call refuses an unknown time zone, before `from` is parsed in that zone.
  compileSpec(spec, { scheduleId: id, given: true });
  const after = options.from === undefined ? now() : readTimeOrDate(options.from, zone, 'from');
  const { lines, next } = describeSpec(spec, { after, count, scheduleId: id });
  if (json) {
    const equivalent = translated && { equivalent: spec, notes };
    write(`${JSON.stringify({ expression, timezone: zone, description: lines[0], next, ...equivalent })}\n`);
    return;
  }
  write(`${lines[0]} (${zone})\n`);
  if (translated) write(`Here it is spec: ${literal(spec)}\n`);
  for (const note of notes ?? []) write(`Note: ${note}\n`);
  if (next.length === 0) write('never again\n');
  for (const time of next) write(`${showTime(time, zone)}   ${time.toISOString().replace('.000', '')}\n`);
}
