import { type Command, Option } from 'commander';
import { counted } from '../core/counted';
import { FREEZE_CATCH_UPS, type FreezeCatchUp } from '../core/decisions/freeze';
import { given } from '../core/given';
import type { Freeze, FreezeOptions, FreezeResult } from '../index';
import { type ClientOptions, type Environment, withClient, withTenant } from './environment';
import { parseCount, parseTexts, parseTime } from './options/arguments';
import { LISTED, showLimited } from './output/limited';
import { print, printJson, printTable, printTime } from './output/output';
import { handedOverInWords } from './schedule/schedule-commands';

type FreezeCommandOptions = ClientOptions & { json?: boolean };

interface NewFreezeOptions extends FreezeCommandOptions {
  from?: Date;
  to?: Date;
  source?: string;
  query?: string;
  schedule?: string[];
  all?: boolean;
  catchUp?: string;
  note?: string;
  dryRun?: boolean;
}

/** Maximum number of schedules that a dry run lists for a person. */
const PREVIEWED = 20;

export function addFreezeCommands(program: Command, environment: Environment): void {
  // Options that follow a subcommand belong to that subcommand.
  program.enablePositionalOptions();
  const freeze = withTenant(program.command('freeze').enablePositionalOptions())
    .description(
      'Freeze schedules: hold back their occurrences for a while, such as during a release. List and end freezes.',
    )
    .option('--from <time>', 'start of the freeze (ISO 8601; UTC without an offset; default: now)', parseTime)
    .option('--to <time>', 'end of the freeze', parseTime)
    .option('--source <source>', 'only schedules of this source')
    .option('--query <filter>', `only schedules that match a list filter, such as 'taskQueue = "billing"'`)
    .option('--schedule <id>', 'only this schedule; may be repeated', parseTexts)
    .option('--all', 'all schedules')
    .addOption(
      new Option('--catch-up <choice>', 'which held-back occurrences fire when it ends (default: none)').choices(
        FREEZE_CATCH_UPS.map((choice) => choice.toLowerCase()),
      ),
    )
    .option('--note <text>', 'why')
    .option('--dry-run', 'write nothing, and show what it would hold back')
    .option('--json', 'print JSON')
    .action(async (options: NewFreezeOptions, command: Command) => {
      const { from, to, source, query, schedule: scheduleIds, all, catchUp, note, dryRun, tenant } = options;
      if (!to) return command.error("error: give --to, or 'list', 'show' or 'end'");
      const wanted: FreezeOptions = {
        to,
        ...given({ from, source, query, scheduleIds, all, note, dryRun, tenant }),
        ...given({ catchUp: catchUp?.toUpperCase() as FreezeCatchUp | undefined }),
      };
      const result = await withClient(environment, options, (client) => client.freezes.create(wanted));
      if (options.json) printJson(result);
      else say(result);
    });

  withTenant(freeze.command('list'))
    .description('List freezes in force and planned ones.')
    .option('--ended', 'include freezes that are over')
    .option('--limit <count>', 'how many at most', parseCount, LISTED)
    .option('--json', 'print JSON, one line a row')
    .action(async (options: FreezeCommandOptions & { ended?: boolean; limit: number }) => {
      const { ended = false, json } = options;
      const read = (limit: number) =>
        withClient(environment, options, (client) => client.freezes.list({ ended, limit }));
      await showLimited(options.limit, read, (freezes) => {
        if (json) for (const one of freezes) printJson(one);
        else printTable(['FREEZE', 'OF', 'FROM', 'TO', 'CATCH-UP', 'ENDED', 'BY', 'NOTE'], freezes.map(rowOf));
      });
    });

  withTenant(freeze.command('show'))
    .description('Show a freeze.')
    .argument('<freeze-id>', "ID that 'escapement freeze list' shows")
    .option('--json', 'print JSON')
    .action(async (freezeId: string, options: FreezeCommandOptions) => {
      const one = await withClient(environment, options, (client) => client.freezes.get(freezeId));
      if (options.json) printJson(one);
      else {
        const names = ['freeze', 'of', 'from', 'to', 'catch-up', 'ended', 'by', 'why'];
        printTable(
          ['FIELD', 'VALUE'],
          rowOf(one).map((value, index) => [names[index], value]),
        );
      }
    });

  withTenant(freeze.command('end'))
    .description(
      'End a freeze early. Its schedules usually continue within a second, unless another freeze holds them.',
    )
    .argument('<freeze-id>', "ID that 'escapement freeze list' shows")
    .option('--json', 'print JSON')
    .action(async (freezeId: string, options: FreezeCommandOptions) => {
      const ended = await withClient(environment, options, (client) => client.freezes.end(freezeId));
      if (options.json) printJson(ended);
      else print(`Freeze ${freezeId} of ${whatOf(ended)} is over.`);
    });
}

function say({ freeze, schedules, handedOver, frozen }: FreezeResult): void {
  const stretch = `from ${printTime(freeze.from)} to ${printTime(freeze.to)}`;
  const many = counted(schedules, 'schedule');
  if (frozen) {
    const occurrences = frozen.reduce((sum, one) => sum + one.occurrences, 0);
    print(
      `${stretch} this would freeze ${many} and hold back ${counted(occurrences, 'occurrence')}.`.replace(
        'from',
        'From',
      ),
    );
    const held = frozen.filter((one) => one.occurrences > 0);
    const rows = held
      .slice(0, PREVIEWED)
      .map((one) => [one.scheduleId, String(one.occurrences), printTime(one.first), printTime(one.last)]);
    printTable(['SCHEDULE', 'OCCURRENCES', 'FIRST', 'LAST'], rows);
    if (held.length > PREVIEWED)
      print(`… and ${(held.length - PREVIEWED).toLocaleString('en')} more; --json lists all.`);
  } else print(`Freeze ${freeze.freezeId} of ${whatOf(freeze)} holds ${many} ${stretch}.`);
  for (const line of handedOverInWords(handedOver, 'in spite of the freeze')) print(line);
}

type Scope = Pick<Freeze, 'tenant' | 'source' | 'query' | 'scheduleIds'>;

function whatOf({ tenant, source, query, scheduleIds }: Scope): string {
  const parts = [
    scheduleIds &&
      (scheduleIds.length === 1 ? `schedule '${scheduleIds[0]}'` : `${scheduleIds.length} schedules by ID`),
    source !== null && `source '${source}'`,
    query !== null && `what matches ${query}`,
    tenant !== null && `tenant '${tenant}'`,
  ].filter(Boolean);
  return parts.length === 0 ? 'everything' : parts.join(' and ');
}

function rowOf(freeze: Freeze): (string | undefined)[] {
  const { freezeId, from, to, catchUp, endedAt, actor, endedBy, note } = freeze;
  const ended = endedAt ? `${printTime(endedAt)} by ${endedBy}` : undefined;
  return [
    freezeId,
    whatOf(freeze),
    printTime(from),
    printTime(to),
    catchUp.toLowerCase(),
    ended,
    actor,
    note ?? undefined,
  ];
}
