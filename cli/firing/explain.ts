import type { Command } from 'commander';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { print, printJson } from '../output/output';

export function addExplainCommand(program: Command, environment: Environment): void {
  withTenant(program.command('explain'))
    .description('Explain what happened at one time of a schedule, and why.')
    .argument('<schedule-id>', 'name of the schedule, live or deleted')
    .argument('<time>', "ISO 8601, or local time in the schedule's zone, such as 2026-11-20T02:00")
    .option('--json', 'print JSON')
    .action(async (scheduleId: string, time: string, options: ClientOptions & { json?: boolean }) => {
      const explanation = await withClient(environment, options, (client) =>
        client.getHandle(scheduleId).explain(time),
      );
      if (options.json) printJson(explanation);
      else print(explanation.sentence);
    });
}
