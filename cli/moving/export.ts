import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { type ExportedSchedule, exportSchedules } from '../../moving/export/export';
import { type ClientOptions, type Environment, postgresOf, withTenant } from '../environment';
import { print, printJson, printTable } from '../output/output';
import { progressLine } from '../output/progress';

type ExportFlags = ClientOptions & { query?: string; dryRun?: boolean; paused?: boolean; json?: boolean };

export function addExportCommand(program: Command, environment: Environment): void {
  withTenant(program.command('export'))
    .description(
      "Create Temporal's own schedules from the ledger's, and pause the ledger's. Lists settings that Temporal does not have. Exits with 1 if a schedule could not be exported.",
    )
    .option('--query <filter>', `only those that match a list filter, such as 'Team = "ops"' (default: all)`)
    .option('--dry-run', 'write nothing, and show what would be done')
    .option('--paused', "create Temporal's schedules paused, and leave the ledger's as they are")
    .option('--json', 'print JSON, one line a schedule')
    .action(async ({ query, dryRun, paused, json, ...options }: ExportFlags) => {
      const { connectionOptions, namespace } = environment.temporal();
      const tenant = options.tenant ?? environment.tenant;
      const connection = Connection.lazy(connectionOptions);
      const ledger = {
        ...postgresOf(environment, options),
        identity: environment.identity,
        namespace: namespace || undefined,
        ...(tenant === undefined ? {} : { tenant }),
      };
      const exported: ExportedSchedule[] = [];
      try {
        for await (const one of exportSchedules({ ledger, to: new Client({ connection }), query, dryRun, paused })) {
          exported.push(one);
          if (json) printJson(one);
          else progressLine(`${exported.length} schedules`);
        }
      } finally {
        await connection.close();
      }
      if (!json) show(exported);
      if (exported.some(({ status }) => status === 'left')) process.exitCode = 1;
    });
}

function show(exported: ExportedSchedule[]): void {
  progressLine('');
  printTable(
    ['SCHEDULE', 'NAMESPACE', 'STATUS', 'WHAT IS LOST, OR WHY IT IS LEFT'],
    exported.map(({ scheduleId, namespace, status, reason, notes }) => [
      ...[scheduleId, namespace, status],
      [...(reason === undefined ? [] : [reason]), ...notes].join('; ') || undefined,
    ]),
  );
  const left = exported.filter(({ status }) => status === 'left').length;
  print(`${exported.length - left} of ${exported.length} schedules; ${left} left here.`);
}
