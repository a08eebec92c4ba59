import type { Command } from 'commander';
import { identityOf } from '../../client/context';
import { counted } from '../../core/counted';
import { type Purged, PurgeRefusedError, type PurgeSubject, purge } from '../../owner/purge/purge';
import { type DatabaseOptions, type Environment, postgresOf, withDatabase } from '../environment';
import { print, printJson, printSafely } from '../output/output';
import { progressLine } from '../output/progress';

interface PurgeFlags extends DatabaseOptions {
  schedule?: string;
  tenant?: string;
  dryRun?: boolean;
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

export function addPurgeCommand(program: Command, environment: Environment): void {
  withDatabase(program.command('purge'))
    .description(
      'Erase the rows of a schedule, or of a whole tenant, from the ledger. This cannot be undone. Run it as the owner of the schema.',
    )
    .option('--schedule <id>', 'the schedule, live or deleted')
    .option('--tenant <tenant>', 'all data of this tenant')
    .option('--dry-run', 'erase nothing, and count what would be erased')
    .option('--yes', 'erase it; this cannot be undone')
    .option(
      '--force',
      'erase even if workflows are running: they continue in Temporal, but the ledger no longer knows them',
    )
    .option('--json', 'print one line of JSON')
    .action(async (options: PurgeFlags) => {
      const subject = subjectOf(options);
      if (!options.dryRun && !options.yes) {
        throw new Error('this cannot be undone: check with --dry-run what it erases, then give --yes');
      }
      const purged = await purge(postgresOf(environment, options), subject, {
        actor: identityOf(environment.identity),
        dryRun: options.dryRun,
        force: options.force,
        onProgress: progressLine,
      });
      if (options.json) printJson(purged);
      else say(purged, options.force);
    });
}

function subjectOf({ schedule, tenant }: PurgeFlags): PurgeSubject {
  if ((schedule === undefined) === (tenant === undefined)) throw new Error('give one of --schedule and --tenant');
  return schedule === undefined ? { tenant: tenant! } : { scheduleId: schedule };
}

function say({ purgeId, schedules, counts, running, runningCount, archives }: Purged, force = false): void {
  const rows = Object.entries(counts).map(([kind, count]) => `${kind}: ${count.toLocaleString('en')}`);
  print(
    `${purgeId === null ? 'Would erase' : 'Erased'} ${counted(schedules, 'schedule')}${rows.length > 0 ? ` (${rows.join(', ')})` : ''}.`,
  );
  if (purgeId !== null) print(`Recorded as ${purgeId}.`);
  // Without force, only a dry run comes here although workflows run.
  if (runningCount > 0 && !force) {
    const { message } = new PurgeRefusedError(running, runningCount);
    printSafely(process.stderr, [`--yes alone is refused: ${message}`]);
  } else if (runningCount > 0) {
    const some = running.map(({ workflowId, namespace }) => `${workflowId} in ${namespace}`);
    printSafely(process.stderr, [
      `${counted(runningCount, 'workflow runs or is', 'workflows run or are')} about to start; what was started stays in Temporal: ${some.join(', ')}`,
    ]);
  }
  if (archives.length > 0) {
    const places = [...new Set(archives.map(({ place }) => place))];
    printSafely(process.stderr, [`Archives may still have rows of it, and are not changed: ${places.join(', ')}`]);
  }
}
