import { type Command, Option } from 'commander';
import type { ScheduleSummary } from '../../client/describe/schedule-description';
import type { ListSchedulesOptions } from '../../client/list/list-options';
import { type Environment, withClient } from '../environment';
import { parseCount } from '../options/arguments';
import { printJson, printMore, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { watched, withWatch } from '../output/watch';
import type { ScheduleCommandOptions } from './schedule-commands';
import { type ScheduleFilterFlags, scheduleFilterOf, withScheduleFilter } from './schedule-filter';

type ListOptions = ScheduleCommandOptions &
  ScheduleFilterFlags &
  Pick<ListSchedulesOptions, 'orderBy'> & { limit?: number; cursor?: string };

export function addListCommand(list: Command, environment: Environment): void {
  withScheduleFilter(withWatch(withTimes(list)))
    .addOption(
      new Option(
        '--order-by <order>',
        'default: scheduleId; with nextFireAt, schedules without a next time come last',
      ).choices(['scheduleId', 'nextFireAt']),
    )
    .option('--limit <count>', 'how many at most (default: all; with --cursor, 200)', parseCount)
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .action(
      watched(async (options: ListOptions) => {
        await withClient(environment, options, async (client) => {
          const { orderBy, limit, cursor } = options;
          const wanted = { ...scheduleFilterOf(options), orderBy };
          if (limit === undefined && cursor === undefined) return printSchedules(client.list(wanted), options);
          const page = await client.listPage({ ...wanted, pageSize: limit, cursor });
          await printSchedules(page.schedules, options);
          printMore(page.nextCursor);
        });
      }),
    );
}

async function printSchedules(
  schedules: AsyncIterable<ScheduleSummary> | ScheduleSummary[],
  { json }: ScheduleCommandOptions,
): Promise<void> {
  const rows: (string | undefined)[][] = [];
  for await (const schedule of schedules) {
    const { scheduleId, action, info } = schedule;
    if (json) printJson(schedule);
    else rows.push([scheduleId, action.workflowType, ...stateOf(schedule), printTime(info.nextFireAt)]);
  }
  if (!json) printTable(['SCHEDULE', 'WORKFLOW', 'STATE', 'SINCE', 'BY', 'NEXT'], rows);
}

export function stateOf({ state }: Pick<ScheduleSummary, 'state'>): (string | undefined)[] {
  const { specError, paused, completed, setAsideAt, pausedAt, pausedBy, pausedUntil, completedAt, completedBy } = state;
  if (specError !== undefined) return ['set aside', ...sinceOf(setAsideAt, undefined)];
  if (paused)
    return [pausedUntil ? `paused until ${printTime(pausedUntil)}` : 'paused', ...sinceOf(pausedAt, pausedBy)];
  if (state.shadow) return ['shadow', undefined, undefined];
  return completed ? ['completed', ...sinceOf(completedAt, completedBy)] : ['live', undefined, undefined];
}

function sinceOf(at: Date | undefined, by: string | undefined): (string | undefined)[] {
  return at ? [printTime(at), by] : ['unknown', 'unknown'];
}
