import type { Command } from 'commander';
import { type DatabaseOptions, type Environment, withClient, withDatabase } from './environment';
import { printJson, printTable } from './output';

type StatsOptions = DatabaseOptions & { json?: boolean; tenant?: string };

/** `escapement stats [ID]`: counts over firings and gaps. */
export function addStatsCommand(program: Command, environment: Environment): void {
  withDatabase(program.command('stats'))
    .description('Count firings, what was missed, and recoveries.')
    .argument('[schedule-id]', 'one schedule, live or deleted (default: all)')
    .option('--tenant <tenant>', 'of all schedules, only those of this tenant')
    .option('--json', 'print JSON')
    .action(async (scheduleId: string | undefined, options: StatsOptions, command: Command) => {
      if (scheduleId !== undefined && options.tenant !== undefined) {
        command.error('error: --tenant narrows the counts of all schedules; leave it out for one');
      }
      const stats = await withClient(environment, options, (client) =>
        scheduleId === undefined ? client.stats({ tenant: options.tenant }) : client.getHandle(scheduleId).stats(),
      );
      if (options.json) return printJson(stats);
      const { recoveries, successRate, ...counts } = stats;
      const rate = successRate === null ? '-' : `${(successRate * 100).toFixed(1)} %`;
      const rows = { ...counts, 'success rate': rate, ...prefixed('recoveries', recoveries) };
      printTable(
        ['COUNT', 'VALUE'],
        Object.entries(rows).map(([name, value]) => [name, String(value)]),
      );
    });
}

function prefixed(prefix: string, counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix} ${name}`, count]));
}
