import { type Command, Option } from 'commander';
import { given } from '../../core/given';
import { calendarsIn } from '../../core/occurrences/days/read-days';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { DIALECTS } from '../../moving/dialects/dialects';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { alias } from '../options/alias';
import { parseCount, parseLocalTime } from '../options/arguments';
import { printJson } from '../output/output';
import { type ScheduleNextOptions, scheduleNext } from './schedule-next';

type NextFlags = ScheduleNextOptions & ClientOptions;

/** Adds `escapement schedule next '<expression>'`: the command needs the database only if the spec names calendars. */
export function addNextCommand(schedule: Command, environment: Environment): void {
  withTenant(schedule.command('next'))
    .description('Say in words what a cron expression means, and when it fires next.')
    .argument('<expression>', "such as '0 2 * * MON-FRI'")
    .option('--time-zone <zone>', 'IANA time zone (default: UTC)')
    .addOption(alias('--tz <zone>', 'timeZone'))
    .option(
      '--from <time>',
      'times after this one, ISO 8601, in the time zone unless it has an offset (default: now)',
      parseLocalTime,
    )
    .option('--count <count>', 'how many, 10000 at most (default: 5)', parseCount)
    .addOption(
      new Option('--dst <rule>', 'how to treat changes of daylight saving time (default: ONCE)').choices([
        'ONCE',
        'LITERAL',
      ]),
    )
    .option('--skip-days <calendar-or-date...>', 'skip the days of these calendars in the ledger, and these dates')
    .option(
      '--only-days <calendar-or-date...>',
      'only on the days of these calendars in the ledger, and on these dates',
    )
    .option('--id <schedule-id>', 'schedule ID from which H is computed')
    .option('--temporal', 'read it as Temporal’s cronExpression, not as spec.cron')
    .addOption(
      new Option('--dialect <name>', 'read it as another scheduler does, and print its form here')
        .choices(DIALECTS)
        .conflicts(['temporal', 'id']),
    )
    .option('--json', 'print JSON')
    .action(async (expression: string, options: NextFlags) => {
      const calendarDays = await daysOfCalendars(environment, options);
      scheduleNext(expression, { ...options, ...given({ calendarDays }) }, (text) =>
        options.json ? printJson(JSON.parse(text)) : process.stdout.write(text),
      );
    });
}

/** Reads the days of the named calendars from the ledger; undefined if no calendar is named. */
async function daysOfCalendars(environment: Environment, options: NextFlags) {
  const days = given({ skipDays: options.skipDays, onlyDays: options.onlyDays });
  if (calendarsIn(days).length === 0) return undefined;
  const filled = await withClient(environment, options, ({ calendars }) =>
    calendars.fill<ScheduleSpec>({ cron: '@daily', ...days }),
  );
  return filled.calendarDays;
}
