import type { Command } from 'commander';
import { counted } from '../core/counted';
import { given } from '../core/given';
import type { CalendarSummary, PutCalendarOptions, PutCalendarResult } from '../index';
import { type ClientOptions, type Environment, withClient, withTenant } from './environment';
import { readText } from './moving/read-text';
import { parseTexts } from './options/arguments';
import { print, printJson, printTable, printTime } from './output/output';
import { progressLine } from './output/progress';

type CalendarOptions = ClientOptions & { json?: boolean };

interface PutOptions extends CalendarOptions {
  day?: string[];
  from?: string;
  through?: string;
  ignoreTimed?: boolean;
  dryRun?: boolean;
}

/** Unlike schedules, calendars of two tenants may have the same name. */
const WHOSE = 'the tenant of the calendar (default: ESCAPEMENT_TENANT, else the calendar without a tenant)';

/** Maximum number of schedules that a dry run lists for a person. */
const LISTED = 20;

export function addCalendarCommands(program: Command, environment: Environment): void {
  const calendar = program
    .command('calendar')
    .description('Named calendars of days, such as holidays. Schedules skip these days, or fire only on them.');

  withTenant(calendar.command('put'), WHOSE)
    .description('Create a calendar, or replace its days. Schedules that name it get the new days.')
    .argument('<name>', 'name under which schedules refer to it')
    .argument('[file]', 'an iCalendar file whose whole-day events become the days; - for standard input')
    .option('--day <date>', 'a day such as 2026-12-25, instead of a file; may be repeated', parseTexts)
    .option('--from <date>', 'recurring events count from this day on (default: 1 January five years ago)')
    .option(
      '--through <date>',
      'recurring events count up to and including this day (default: 31 December in ten years)',
    )
    .option('--ignore-timed', 'leave out events that begin at a time of day')
    .option('--dry-run', 'write nothing, and show which schedules would change')
    .option('--json', 'print JSON')
    .action(async (name: string, file: string | undefined, options: PutOptions, command: Command) => {
      const { day: days, from, through, ignoreTimed, dryRun, tenant, json } = options;
      if ((file === undefined) === (days === undefined)) return command.error('error: give a file, or --day');
      const wanted: PutCalendarOptions = {
        ...given({ days, from, through, ignoreTimed, dryRun, tenant }),
        ...(file !== undefined && { ics: await readText(file) }),
        progress: ({ written }) => progressLine(`${written.toLocaleString('en')} schedules follow`),
      };
      const result = await withClient(environment, options, (client) => client.calendars.put(name, wanted));
      if (json) printJson(result);
      else say(result);
      if (result.failed.length > 0) process.exitCode = 1;
      return undefined;
    });

  withTenant(calendar.command('list'))
    .description('List the calendars, and how many schedules name each.')
    .option('--json', 'print JSON, one line a row')
    .action(async (options: CalendarOptions) => {
      const calendars = await withClient(environment, options, (client) => client.calendars.list());
      if (options.json) for (const one of calendars) printJson(one);
      else printTable(['CALENDAR', 'TENANT', 'DAYS', 'FIRST', 'LAST', 'SCHEDULES', 'PUT', 'BY'], calendars.map(rowOf));
    });

  withTenant(calendar.command('show'), WHOSE)
    .description('Show the days of a calendar.')
    .argument('<name>', 'name of the calendar')
    .option('--json', 'print JSON')
    .action(async (name: string, options: CalendarOptions) => {
      const one = await withClient(environment, options, (client) => client.calendars.get(name, tenantOf(options)));
      if (options.json) printJson(one);
      else
        printTable(
          ['DAY', 'LABEL'],
          one.days.map(({ day, label }) => [day, label]),
        );
    });

  withTenant(calendar.command('delete'), WHOSE)
    .description('Delete a calendar that no schedule names.')
    .argument('<name>', 'name of the calendar')
    .option('--json', 'print JSON')
    .action(async (name: string, options: CalendarOptions) => {
      await withClient(environment, options, (client) => client.calendars.delete(name, tenantOf(options)));
      if (options.json) printJson({ name, deleted: true });
      else print(`Calendar '${name}' is deleted.`);
    });
}

function tenantOf({ tenant }: CalendarOptions) {
  return given({ tenant });
}

function say({ name, status, days, added, removed, schedules, failed, changes }: PutCalendarResult): void {
  const isDry = changes !== undefined;
  const many = counted(days, 'day');
  const verb = { created: 'new', changed: 'changed', unchanged: 'as it was' }[status];
  const difference = status === 'changed' ? `: ${added.length} added, ${removed.length} removed` : '';
  print(`Calendar '${name}' ${isDry ? 'would have' : 'has'} ${many} (${verb}${difference}).`);
  const follow = counted(schedules, 'schedule');
  if (isDry) {
    print(
      `${follow} ${schedules === 1 ? 'names' : 'name'} it; of those it would change ${changes.length}, over the next two years:`,
    );
    const rows = changes
      .slice(0, LISTED)
      .map((one) => [
        one.scheduleId,
        `-${one.fewer}`,
        `+${one.more}`,
        printTime(one.nextBefore),
        printTime(one.nextAfter),
      ]);
    printTable(['SCHEDULE', 'FEWER', 'MORE', 'NEXT IS', 'NEXT WOULD BE'], rows);
    if (changes.length > LISTED)
      print(`… and ${(changes.length - LISTED).toLocaleString('en')} more; --json lists all.`);
  } else print(`${follow} ${schedules === 1 ? 'follows' : 'follow'} the change.`);
  for (const { scheduleId, problem } of failed) print(`'${scheduleId}' still uses the former days: ${problem}`);
}

function rowOf({ name, tenant, count, first, last, schedules, behind, updatedAt, actor }: CalendarSummary) {
  const uses = behind === 0 ? String(schedules) : `${schedules} (${behind} behind: put it again)`;
  return [name, tenant === '' ? undefined : tenant, String(count), first, last, uses, printTime(updatedAt), actor];
}
