import { type Command, InvalidArgumentError } from 'commander';
import type { BulkFilter } from '../../../index';
import { parsePositive, parseWhole } from '../../options/arguments';
import { onOne, type ScheduleCommandOptions } from '../schedule-commands';
import { type ScheduleFilterFlags, scheduleFilterOf, withScheduleFilter } from '../schedule-filter';

export interface BulkFlags extends ScheduleCommandOptions, ScheduleFilterFlags {
  all?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  expect?: number;
  rate?: number;
}

export function withBulk(command: Command): Command {
  return withScheduleFilter(command)
    .option('--all', 'every schedule')
    .option('--dry-run', 'for many schedules: change nothing, show which match, and count which would change')
    .option('--yes', 'for many schedules: make the change')
    .option(
      '--expect <count>',
      'with --yes: how many schedules matched in --dry-run; if another number matches now, nothing is changed',
      parseWhole,
    )
    .option('--rate <count>', 'with --yes: how many a second at most, from 0.5, evenly spaced', parseRate);
}

function parseRate(value: string): number {
  const rate = parsePositive(value);
  if (rate < 0.5 || rate > 10_000) throw new InvalidArgumentError('use a number from 0.5 to 10000.');
  return rate;
}

/** The filter for schedules from the flags; undefined if no flag selects schedules. */
export function bulkFilterOf(flags: BulkFlags): BulkFilter | undefined {
  const filter = scheduleFilterOf(flags);
  if (flags.all) return { ...filter, all: true };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** Returns the action of a command that changes one schedule, or all schedules that its flags select. */
export function onOneOrMany<Options extends BulkFlags & { scheduleId: string }>(
  one: (options: Options) => Promise<void>,
  many: (options: Omit<Options, 'scheduleId'>, filter: BulkFilter) => Promise<void>,
): (...received: unknown[]) => Promise<void> {
  const ofOne = onOne(one);
  return async (...received) => {
    const command = received.at(-1) as Command;
    const options = command.opts<Options>();
    const filter = bulkFilterOf(options);
    const { dryRun, yes, expect, rate } = options;
    const isMany = filter !== undefined || [dryRun, yes, expect, rate].some((flag) => flag !== undefined);
    const isOne = command.args.length > 0 || options.scheduleId !== undefined;
    if (isOne && isMany) {
      command.error(
        'error: filters, --all, --dry-run, --yes, --expect and --rate are for many; leave them out for one',
      );
    }
    if (!isOne && isMany && !filter)
      command.error('error: select schedules by --query or another filter, or give --all');
    return filter ? many(options, filter) : ofOne(...received);
  };
}
