import type { Command } from 'commander';
import { counted } from '../../core/counted';
import type { ImportedSchedule, ImportResult } from '../../moving/import/import-options';
import { type Environment, withClient } from '../environment';
import { parseTexts } from '../options/arguments';
import { print, printJson, printTable } from '../output/output';
import { progressLine } from '../output/progress';
import { type MovingFlags, withMoving, withTemporalClient } from './moving-commands';

type ImportFlags = MovingFlags & {
  namespace?: string[];
  query?: string;
  dryRun?: boolean;
  shadow?: boolean;
  undecoded?: boolean;
};

export function addNativeImport(program: Command, environment: Environment): Command {
  return withMoving(program.command('import'))
    .description(
      "Import Temporal's own schedules. Until they are cut over they are paused here, or in shadow with --shadow.",
    )
    .option('--namespace <namespace>', 'read this one; may be repeated (default: TEMPORAL_NAMESPACE)', parseTexts)
    .option(
      '--query <query>',
      'only schedules that match this list query of Temporal, such as \'Team = "billing"\' (default: all)',
    )
    .option('--dry-run', 'write nothing, and show what would be done')
    .option('--shadow', 'import in shadow mode: record each occurrence when it is due, but start nothing')
    .option(
      '--undecoded',
      'also import schedules whose arguments this command cannot decode; the bytes are copied unchanged',
    )
    .action(async (options: ImportFlags) => {
      const { namespace: namespaces, query, dryRun, shadow, undecoded } = options;
      const progress = ({ done }: { done: number }) => progressLine(`${counted(done, 'schedule')} read`);
      const how = { namespaces, query, dryRun, shadow, undecoded, progress };
      const result = await withTemporalClient(environment, (from) =>
        withClient(environment, options, (client) => client.importSchedules({ from, ...how })),
      );
      progressLine('');
      if (options.json) for (const schedule of result.schedules) printJson(schedule);
      else show(result, dryRun ?? false);
      if (!result.complete) process.exitCode = 1;
    });
}

function show({ schedules }: ImportResult, dryRun: boolean): void {
  printTable(
    ['SCHEDULE', 'NAMESPACE', 'STATUS', 'NOTES'],
    schedules.map(({ scheduleId, namespace, status, reason, notes }) => [
      scheduleId,
      namespace,
      status,
      [...(reason === undefined ? [] : [reason]), ...notes].join('; ') || undefined,
    ]),
  );
  print(`${dryRun ? 'Would be: ' : ''}${counts(schedules)}.`);
}

function counts(schedules: ImportedSchedule[]): string {
  const of = new Map<string, number>();
  for (const { status } of schedules) of.set(status, (of.get(status) ?? 0) + 1);
  return [...of].map(([status, count]) => `${count} ${status}`).join(', ') || 'no schedule was found';
}
