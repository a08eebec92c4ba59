import type { Command } from 'commander';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { printJson } from '../output/output';
import { withTimes } from '../output/output-flags';
import { redraw, untilStopped } from '../output/watch';
import { printOverview } from './screen';

const DRAWN_EVERY_MILLISECONDS = 1_000;

export function addTopCommand(program: Command, environment: Environment): void {
  withTimes(withTenant(program.command('top')))
    .description('Watch triggers, namespaces, lag, backlog and the next firings. Redraws every second until Ctrl-C.')
    .option('--once', 'print once; this is the default without a terminal and for JSON')
    .option('--json', 'print JSON')
    .action(async ({ json, once, ...options }: ClientOptions & { json?: boolean; once?: boolean }) => {
      await withClient(environment, options, async (client) => {
        const draw = async () => {
          const overview = await client.overview();
          if (json) printJson(overview);
          else printOverview(overview);
        };
        const isLive = process.stdout.isTTY && !once && !json;
        await (isLive ? redraw(draw, DRAWN_EVERY_MILLISECONDS, untilStopped()) : draw());
      });
    });
}
