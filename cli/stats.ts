import type { Command } from 'commander';
import { type ClientOptions, type Environment, withClient, withTenant } from './environment';
import { printJson, printTable, printTime } from './output/output';
import { withTimes } from './output/output-flags';
import { style } from './output/style';
import { distanceOf } from './output/times';
import { watched, withWatch } from './output/watch';

type StatsOptions = ClientOptions & { json?: boolean };

export function addStatsCommand(program: Command, environment: Environment): void {
  withWatch(withTimes(withTenant(program.command('stats'))))
    .description(
      'Count firings, missed occurrences, recoveries and open dead letters: since the beginning, or for one schedule as long as the ledger keeps its firings.',
    )
    .argument('[schedule-id]', 'one schedule, live or deleted (default: all)')
    .option('--json', 'print JSON')
    .action(
      watched(async (scheduleId: string | undefined, options: StatsOptions) => {
        const stats = await withClient(environment, options, (client) =>
          scheduleId === undefined ? client.stats() : client.getHandle(scheduleId).stats(),
        );
        if (options.json) return printJson(stats);
        const { total, waiting, claimed, oldestClaimedAt, recoveries, successRate, letters, ...counts } = stats;
        const rate = successRate === null ? '-' : `${(successRate * 100).toFixed(1)} %`;
        const ofClaims = { claimed, 'oldest claim': sinceWhen(oldestClaimedAt) };
        const rows = {
          total,
          waiting,
          ...ofClaims,
          ...counts,
          'success rate': rate,
          ...prefixed('recoveries', recoveries),
          'open letters': letters.open,
          'oldest letter': sinceWhen(letters.oldestAt),
        };
        printTable(
          ['COUNT', 'VALUE'],
          Object.entries(rows).map(([name, value]) => [name, String(value)]),
        );
      }),
    );
}

function prefixed(prefix: string, counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix} ${name}`, count]));
}

function sinceWhen(instant: Date | null): string {
  if (!instant) return '-';
  // The distance from now is shown only once.
  return style().times.withDistance ? printTime(instant)! : `${printTime(instant)}, ${distanceOf(instant)}`;
}
