import type { Command } from 'commander';
import { given } from '../../core/given';
import type { ListSchedulesOptions } from '../../index';
import { parseTime } from '../options/arguments';

export interface ScheduleFilterFlags {
  source?: string;
  owner?: string;
  externalId?: string;
  namespace?: string;
  taskQueue?: string;
  type?: string;
  paused?: boolean;
  completed?: boolean;
  from?: Date;
  to?: Date;
  query?: string;
  text?: string;
}

export function withScheduleFilter(command: Command): Command {
  return command
    .option('--source <source>', 'only those that this source declared')
    .option('--owner <name>', 'only those of this owner')
    .option('--external-id <id>', 'only the one with this external ID')
    .option('--namespace <name>', 'only those whose workflows start in this Temporal namespace')
    .option('-t, --task-queue <name>', 'only those of this task queue')
    .option('--type <workflow>', 'only those of this workflow type')
    .option('--paused', 'only those that are paused')
    .option('--no-paused', 'only those that are not paused')
    .option('--completed', 'only completed ones: no action is left, or the spec has ended')
    .option('--no-completed', 'only those that are not completed')
    .option(
      '--from <time>',
      'only those that fire next at this time (ISO 8601; UTC without an offset) or later',
      parseTime,
    )
    .option('--to <time>', 'only those that fire next before this time (ISO 8601; UTC without an offset)', parseTime)
    .option('--query <filter>', `only those that match a list filter, such as 'paused = true AND Team = "ops"'`)
    .option('--text <text>', 'only those with this text in their ID or note');
}

export function scheduleFilterOf(flags: ScheduleFilterFlags) {
  const { source, owner, externalId, namespace, taskQueue, type, paused, completed, from, to, query, text } = flags;
  const filter = { source, owner, externalId, namespace, taskQueue, workflowType: type, paused, completed };
  return given({ ...filter, from, to, query, text }) satisfies ListSchedulesOptions;
}
