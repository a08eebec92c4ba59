import { type Command, Option } from 'commander';
import { given } from '../../core/given';
import type { DstPolicy, IntervalSpec, ScheduleSpec } from '../../core/schedule/spec';
import { readTimeOrDate, zoneOf } from '../../core/spec-zone';
import { parseJsonValues, parseLocalTime } from '../options/arguments';

export interface SpecFlags {
  cron?: string[];
  interval?: string[];
  calendar?: unknown[];
  at?: string[];
  manualOnly?: boolean;
  skipCalendar?: unknown[];
  skipDays?: string[];
  onlyDays?: string[];
  timeZone?: string;
  dst?: DstPolicy;
  startTime?: string;
  endTime?: string;
  jitter?: string;
}

const LOCAL_TIME = 'ISO 8601, or local time in --time-zone';

export function withSpec(command: Command, { forCreate }: { forCreate: boolean }): Command {
  return command
    .option('--cron <expression...>', 'when: 5 fields, or 6 with leading seconds')
    .option('--interval <duration...>', "when: every '5m', '1 hour' …, or '6h/5h' with an offset")
    .option(
      '--calendar <json...>',
      `when: Temporal's calendars, such as '{"dayOfWeek":"FRIDAY","hour":17}'`,
      parseJsonValues,
    )
    .option('--at <time...>', `when: single times, ${LOCAL_TIME}`, parseTimes)
    .addOption(
      new Option('--manual-only', 'when: only when it is triggered manually').conflicts([
        ...['cron', 'interval', 'calendar', 'at', 'skipCalendar', 'skipDays', 'onlyDays', 'dst'],
        ...['startTime', 'endTime', 'jitter'],
      ]),
    )
    .option('--skip-calendar <json...>', 'times to skip, in the form of --calendar', parseJsonValues)
    .option('--skip-days <calendar-or-date...>', 'skip the days of these calendars, and these dates')
    .option('--only-days <calendar-or-date...>', 'only on the days of these calendars, and on these dates')
    .option('--time-zone <zone>', `IANA time zone of all these${forCreate ? ' (default: UTC)' : ''}`)
    .addOption(
      new Option('--dst <rule>', 'how --cron treats changes of daylight saving time (default: ONCE)').choices([
        'ONCE',
        'LITERAL',
      ]),
    )
    .option('--start-time <time>', `not before this time, ${LOCAL_TIME}`, parseLocalTime)
    .option('--end-time <time>', `not after this time, ${LOCAL_TIME}`, parseLocalTime)
    .option(
      '--jitter <duration>',
      'jitter: delay each start by less than this duration, computed from the schedule and the time',
    );
}

/** Whether the flags define when a schedule fires. */
export function saysWhen({ cron, interval, calendar, at, manualOnly }: SpecFlags): boolean {
  return [cron, interval, calendar, at, manualOnly].some((flag) => flag !== undefined);
}

/** The spec from the flags, based on the former spec. If the flags give times, these replace all former times. */
export function specOf(flags: SpecFlags, previous: ScheduleSpec = {}): ScheduleSpec {
  const spec = onTop(flags, previous);
  // `--skip-days ''` and `--only-days ''` remove the days.
  for (const part of ['skipDays', 'onlyDays'] as const) if (flags[part]?.join('') === '') delete spec[part];
  return spec;
}

function onTop(flags: SpecFlags, previous: ScheduleSpec): ScheduleSpec {
  const timezone = flags.timeZone ?? previous.timezone;
  // Temporal's cron expressions, which a flag for times replaces, may contain the time zone themselves.
  const zone = timezone ?? (previous.cronExpressions ? zoneOf(previous) : undefined);
  if (flags.manualOnly) return given({ timezone: zone });
  const bounds = boundsOf(flags, { ...previous, ...given({ timezone }) });
  if (!saysWhen(flags)) return { ...previous, ...given({ timezone }), ...bounds };
  const { cron: _, cronExpressions, calendars, intervals, at, ...kept } = previous;
  return {
    ...kept,
    ...bounds,
    ...given({
      timezone: zone,
      cron: flags.cron,
      intervals: flags.interval?.map(intervalOf),
      calendars: flags.calendar as ScheduleSpec['calendars'],
      at: flags.at?.map((time) => readTimeOrDate(time, zone || 'UTC', '--at')),
    }),
  };
}

function boundsOf(
  { skipCalendar, skipDays, onlyDays, dst, startTime, endTime, jitter }: SpecFlags,
  zoned: ScheduleSpec,
) {
  const time = (value: string | undefined, flag: string) =>
    value === undefined ? undefined : readTimeOrDate(value, zoneOf(zoned), flag);
  return given({
    skip: skipCalendar as ScheduleSpec['skip'],
    skipDays,
    onlyDays,
    dst,
    startAt: time(startTime, '--start-time'),
    endAt: time(endTime, '--end-time'),
    jitter: jitter as '1m' | undefined,
  });
}

/** `6h/5h` means every six hours, five hours after each multiple. */
function intervalOf(flag: string): IntervalSpec {
  const [every, offset] = flag.split('/', 2);
  return { every: every as '1s', ...given({ offset: offset as '1s' | undefined }) };
}

function parseTimes(value: string, previous: string[] = []): string[] {
  return [...previous, parseLocalTime(value)];
}
