import { describeSpec } from '../core/occurrences/describe';
import type { DstPolicy, ScheduleSpec } from '../core/schedule';

/** Options of `escapement schedule next '<expr>'`. */
export interface ScheduleNextOptions {
  /** IANA zone. @default UTC */
  tz?: string;
  /** Instant that the times come after. @default now */
  from?: Date;
  /** @default 5 */
  count?: number;
  json?: boolean;
  dst?: DstPolicy;
  /** Seeds `H`. */
  id?: string;
  /** Read the expression as Temporal does, not as `spec.cron`. */
  temporal?: boolean;
}

/**
 * `escapement schedule next`: an expression in words and its next times, without any server.
 *
 * @throws {InvalidScheduleError} where the expression or an option is not valid
 */
export function scheduleNext(
  expression: string,
  options: ScheduleNextOptions,
  write: (text: string) => void,
  now: () => Date = () => new Date(),
): void {
  const { tz, dst, id, temporal, json } = options;
  const count = options.count ?? 5;
  const after = options.from ?? now();
  const spec: ScheduleSpec = {
    ...(temporal ? { cronExpressions: [expression] } : { cron: expression }),
    ...(tz === undefined ? {} : { timezone: tz }),
    ...(dst === undefined ? {} : { dst }),
  };
  const { lines, next } = describeSpec(spec, { after, count, scheduleId: id });
  const zone = tz ?? /^\s*(?:CRON_)?TZ=(\S+)/.exec(expression)?.[1] ?? 'UTC';
  if (json) {
    write(`${JSON.stringify({ expression, timezone: zone, description: lines[0], next })}\n`);
    return;
  }
  write(`${lines[0]} (${zone})\n`);
  if (next.length === 0) write('never again\n');
  for (const time of next) write(`${local(time, zone)}   ${time.toISOString().replace('.000', '')}\n`);
}

/** `Fri 2026-11-20 02:00:00 +01:00` */
function local(time: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const offset = part.timeZoneName === 'GMT' ? '+00:00' : part.timeZoneName!.replace('GMT', '');
  return `${part.weekday} ${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second} ${offset}`;
}
