import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '../../core/counted';
import { isDuration, millisecondsOf } from '../../core/duration';
import { type ArchivedMonth, archive } from '../../owner/archive/archive';
import { restore } from '../../owner/archive/restore';
import { listArchives, type ShownRow, showArchive, timeOf } from '../../owner/archive/show';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from '../environment';
import { parseTime } from '../options/arguments';
import { print, printJson, printSafely, printTable, printTime } from '../output/output';
import { progressLine } from '../output/progress';

const PLACE = 'a folder, file://… or s3://bucket/prefix';

interface ShowOptions {
  schedule?: string;
  from?: Date;
  to?: Date;
  json?: boolean;
}

export function addArchiveCommands(program: Command, environment: Environment): void {
  const command = program.command('archive').description('Write retired months to files, read them, and restore them.');
  addCreateCommand(command, environment);
  command
    .command('list')
    .argument('<place>', PLACE)
    .description('List the months that an archive has.')
    .option('--json', 'print one line of JSON for each')
    .action(async (place: string, { json }: { json?: boolean }) => {
      const manifests = await listArchives(place, environment);
      if (json) return manifests.forEach(printJson);
      const rows = manifests.map(({ name, files: { firings, gaps, letters }, archivedAt }) => [
        name,
        ...[firings, gaps, letters].map((file) => String(file.rows)),
        printTime(new Date(archivedAt)),
      ]);
      printTable(['MONTH', 'FIRINGS', 'GAPS', 'LETTERS', 'ARCHIVED'], rows);
    });
  command
    .command('show')
    .argument('<place>', PLACE)
    .description('Print firings, gaps and letters of an archive; it needs no database.')
    .option('--schedule <id>', 'only rows of this schedule')
    .option('--from <time>', 'from this nominal time on', parseTime)
    .option('--to <time>', 'before this nominal time', parseTime)
    .option('--json', 'print one line of JSON for each')
    .action(async (place: string, { schedule: scheduleId, from, to, json }: ShowOptions) => {
      for await (const shown of showArchive(place, { scheduleId, from, to }, environment)) {
        if (json) printJson(shown);
        else print(inWords(shown));
      }
    });
  addRestoreCommand(command, environment);
}

function addCreateCommand(archiveCommand: Command, environment: Environment): void {
  withDatabase(archiveCommand.command('create', { isDefault: true }))
    .argument('<place>', PLACE)
    .description(
      'Write each retired month to an archive and verify it. Run it as the owner of the schema. The default.',
    )
    .option('--drop', 'then drop the month from the database')
    .option('--json', 'print one line of JSON for each month')
    .action(async (place: string, options: DatabaseOptions & { drop?: boolean; json?: boolean }) => {
      const { months, held } = await archive(postgresOf(environment, options), place, {
        drop: options.drop,
        s3: environment.s3,
        onProgress: progressLine,
      });
      if (options.json) months.forEach(printJson);
      else for (const month of months) print(monthInWords(month));
      if (!options.json && months.length === 0) print('No month is retired.');
      if (held) {
        const { month, holder } = held;
        const why = holder
          ? `'${holder.scheduleId}' at ${holder.scheduledTime.toISOString()} is open`
          : 'it is locked or not counted yet';
        printSafely(process.stderr, [`${month.toISOString().slice(0, 7)} and what follows stay: ${why}.`]);
      }
    });
}

function addRestoreCommand(archiveCommand: Command, environment: Environment): void {
  withDatabase(archiveCommand.command('restore'))
    .argument('<place>', PLACE)
    .description('Restore a month, so that explain and the lists cover it. Run it as the owner of the schema.')
    .requiredOption('--month <month>', 'such as 2026-01', parseMonth)
    .option('--keep <duration>', 'how long the month stays before it is retired again', parseKeep, '7 days')
    .option('--json', 'print one line of JSON')
    .action(async (place: string, options: DatabaseOptions & { month: string; keep: string; json?: boolean }) => {
      const restored = await restore(postgresOf(environment, options), place, {
        month: options.month,
        s3: environment.s3,
        keepMilliseconds: millisecondsOf(options.keep)!,
        onProgress: progressLine,
      });
      const { month, firings, gaps, letters, keptUntil } = restored;
      if (options.json) printJson(restored);
      else
        print(
          `${month} is back until ${keptUntil.toISOString()}; written: ${counted(firings, 'firing')}, ${counted(gaps, 'gap')}, ${counted(letters, 'letter')}.`,
        );
    });
}

function monthInWords({ name, firings, gaps, letters, bytes, written, dropped }: ArchivedMonth): string {
  const rows = `${counted(firings, 'firing')}, ${counted(gaps, 'gap')}, ${counted(letters, 'letter')} in ${counted(bytes, 'byte')}`;
  return `${name}: ${rows}; ${written ? 'written and read back' : 'was there, and was read back'}${dropped ? ', dropped' : ''}.`;
}

function inWords({ what, row }: ShownRow): string {
  const of = `${timeOf(row)} ${row.schedule_id}`;
  const words = (...names: string[]) => names.map((name) => row[name]).filter((value) => value != null);
  if (what === 'firings') return [of, ...words('kind', 'state', 'outcome', 'reason', 'workflow_id')].join(' ');
  if (what === 'gaps') return [of, 'gap to', ...words('to_time', 'count', 'reason')].join(' ');
  return [of, 'letter', ...words('letter_id', 'kind', 'state', 'reason', 'note')].join(' ');
}

function parseMonth(value: string): string {
  if (!/^\d{4,}-(0[1-9]|1[0-2])$/.test(value)) throw new InvalidArgumentError('use a month such as 2026-01.');
  return value;
}

function parseKeep(value: string): string {
  if (!isDuration(value)) throw new InvalidArgumentError("use a duration such as '7 days'.");
  return value;
}
