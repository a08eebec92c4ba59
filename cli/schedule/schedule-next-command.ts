import { type Command, Option } from 'commander';
import { DIALECTS } from '../../moving/dialects/dialects';
import { alias } from '../options/alias';
import { parseCount, parseLocalTime } from '../options/arguments';
import { printJson } from '../output/output';
import { type ScheduleNextOptions, scheduleNext } from './schedule-next';

/** `escapement schedule next '<expression>'`: needs no server. */
export function addNextCommand(schedule: Command): void {
  schedule
    .command('next')
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
    .addOption(new Option('--dst <rule>', 'what daylight saving does (default: ONCE)').choices(['ONCE', 'LITERAL']))
    .option('--id <schedule-id>', 'the schedule whose H it is')
    .option('--temporal', 'read it as a cronExpression of Temporal’s, not as spec.cron')
    .addOption(
      new Option('--dialect <name>', 'read it as another scheduler does, and print what it is here')
        .choices(DIALECTS)
        .conflicts(['temporal', 'id']),
    )
    .option('--json', 'print JSON')
    .action((expression: string, options: ScheduleNextOptions) => {
      scheduleNext(expression, options, (text) =>
        options.json ? printJson(JSON.parse(text)) : process.stdout.write(text),
      );
    });
}
