import type { Command } from 'commander';
import {
  ApplyRefusedError,
  PruneRefusedError,
  StaleRevisionError,
  staleBecause,
} from '../../client/apply/apply-errors';
import type { ApplyProgress, ApplyResult } from '../../client/apply/apply-options';
import { type Environment, withClient } from '../environment';
import { parseWhole } from '../options/arguments';
import { printJson, printSafely } from '../output/output';
import { showProgress } from '../output/progress';
import { readSchedules } from './read-schedules';
import { addCommand, report, type ScheduleCommandOptions } from './schedule-commands';

type ApplyFlags = ScheduleCommandOptions & {
  source: string;
  revision: number;
  ignoreStale?: boolean;
  prune?: boolean;
  pruneAtMost?: number;
  takeOver?: boolean;
  dryRun?: boolean;
};

export function addApplyCommand(schedule: Command, environment: Environment): void {
  addCommand(schedule, 'apply', 'Make definitions match a file: create, update and, with --prune, delete schedules.')
    .argument('<file>', 'JSON with a list of schedules, or a module that exports schedules or lists of them')
    .requiredOption('--source <name>', 'name of the program that declares them, such as the service that is deployed')
    .requiredOption('--revision <number>', 'number that grows with each deploy; a lower number is refused', parseWhole)
    .option('--ignore-stale', 'if a higher revision has begun, change nothing more and succeed (default: exit with 2)')
    .option('--prune', 'delete schedules that the source declared before and no longer declares')
    .option(
      '--prune-at-most <count>',
      'maximum number of schedules to delete (default: 3, or a quarter of what the source had declared if that is more; 0 for an empty list)',
      parseWhole,
    )
    .option('--take-over', 'also take over schedules that a person or another source registered')
    .option('--dry-run', 'write nothing, and show what would be done')
    .action(async (file: string, options: ApplyFlags, command: Command) => {
      if (options.pruneAtMost !== undefined && !options.prune) {
        command.error('error: --prune-at-most has no effect without --prune');
      }
      const schedules = await readSchedules(file);
      const { source, revision, prune, pruneAtMost, takeOver, dryRun } = options;
      const onStale = options.ignoreStale ? 'ignore' : 'throw';
      const how = { source, revision, onStale, prune, pruneAtMost, takeOver, dryRun, progress: showApply } as const;
      try {
        const result = await withClient(environment, options, (client) => client.apply(schedules, how));
        report(options, result, inWords(result));
        const { ended } = result;
        if (ended.length > 0) {
          printSafely(process.stderr, ['Warning: these schedules have no future times:', ...lines(ended)]);
        }
      } catch (error) {
        if (error instanceof StaleRevisionError && options.json) printJson(error.result);
        throw inTermsOfCommand(error);
      }
    });
}

function showApply({ written, total, pruning }: ApplyProgress): void {
  if (written > 0) showProgress(written, total);
  else if (pruning.length > 0)
    printSafely(process.stderr, ['Deleting, since the file no longer declares it:', ...lines(pruning)]);
}

function inTermsOfCommand(error: unknown): unknown {
  if (error instanceof ApplyRefusedError) return new Error(error.message.replaceAll("'takeOver: true'", '--take-over'));
  if (!(error instanceof PruneRefusedError)) return error;
  const { source, scheduleIds, declared, atMost } = error;
  const count = scheduleIds.length;
  return new Error(
    `the file leaves out ${count} of the ${declared} schedules of source '${source}', and --prune deletes ${atMost} at most; give --prune-at-most ${count} to delete these:\n${lines(scheduleIds).join('\n')}`,
  );
}

function lines(scheduleIds: string[]): string[] {
  return scheduleIds.map((scheduleId) => `- ${scheduleId}`);
}

function inWords(result: ApplyResult): string {
  const { source, revision, status, created, updated, unchanged, pruned } = result;
  const changes = [
    ...created.map((scheduleId) => `+ ${scheduleId}`),
    ...updated.map(({ scheduleId, changed }) => `~ ${scheduleId}: ${changed.join(', ')}`),
    ...lines(pruned),
  ];
  const counts = `${created.length} created, ${updated.length} updated, ${pruned.length} pruned, ${unchanged.length} unchanged`;
  const said = {
    applied: `Applied ${source}@${revision}: ${counts}.`,
    planned: `Would apply ${source}@${revision}: ${counts}.`,
    stale: `${source}@${revision} is stale, because ${staleBecause(result)}: ${changes.length === 0 ? 'nothing was written' : counts}.`,
  };
  return [...changes, said[status]].join('\n');
}
