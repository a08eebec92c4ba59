import type { Command } from 'commander';
import type { ApplyResult } from '../client/apply-options';
import { parseWhole } from './arguments';
import { type Environment, withClient } from './environment';
import { readSchedules } from './read-schedules';
import { addCommand, report, type ScheduleCommandOptions } from './schedule-commands';

type ApplyFlags = ScheduleCommandOptions & {
  source: string;
  revision: number;
  prune?: boolean;
  force?: boolean;
  takeOver?: boolean;
  dryRun?: boolean;
};

/** `escapement schedule apply`: bring schedules to what a file declares. */
export function addApplyCommand(schedule: Command, environment: Environment): void {
  addCommand(schedule, 'apply', 'Create, update and with --prune delete schedules as a file declares them.')
    .argument('<file>', 'JSON with a list of schedules, or a module that exports schedules or lists of them')
    .requiredOption('--source <name>', 'what declares them, such as the service that deploys')
    .requiredOption('--revision <number>', 'grows from deploy to deploy; a lower one changes nothing', parseWhole)
    .option('--prune', 'delete what the source declared before and does not any more')
    .option('--force', 'let an empty list prune everything')
    .option('--take-over', 'also schedules that a person or another source registered')
    .option('--dry-run', 'write nothing, and say what would be done')
    .action(async (file: string, options: ApplyFlags) => {
      const { source, revision, prune, force, takeOver, dryRun } = options;
      const schedules = await readSchedules(file);
      const result = await withClient(environment, options, (client) =>
        client.apply(schedules, { source, revision, prune, force, takeOver, dryRun }),
      );
      report(options, result, inWords(result));
    });
}

function inWords({
  source,
  revision,
  status,
  currentRevision,
  created,
  updated,
  unchanged,
  pruned,
}: ApplyResult): string {
  const lines = [
    ...created.map((scheduleId) => `+ ${scheduleId}`),
    ...updated.map(({ scheduleId, changed }) => `~ ${scheduleId}: ${changed.join(', ')}`),
    ...pruned.map((scheduleId) => `- ${scheduleId}`),
  ];
  const counts = `${created.length} created, ${updated.length} updated, ${pruned.length} pruned, ${unchanged.length} unchanged`;
  const said = {
    applied: `Applied ${source}@${revision}: ${counts}.`,
    planned: `Would apply ${source}@${revision}: ${counts}.`,
    stale: `${source}@${revision} is stale, since revision ${currentRevision} began: ${lines.length === 0 ? 'nothing was written' : counts}.`,
  };
  return [...lines, said[status]].join('\n');
}
