import { type Command, Option } from 'commander';
import { type FiringState, TRANSITIONS } from '../core/firing';
import { parseCount, parseTime } from './arguments';
import { type DatabaseOptions, type Environment, withClient, withDatabase } from './environment';
import { printJson, printTable, printTime } from './output';

interface ListOptions extends DatabaseOptions {
  scheduleId?: string;
  from?: Date;
  to?: Date;
  state?: FiringState;
  limit: number;
  json?: boolean;
}

const STATES = Object.keys(TRANSITIONS).filter((state) => state !== 'absent');

/** `escapement firing …`: what fired, and what became of it. */
export function addFiringCommands(program: Command, environment: Environment): void {
  const firing = program.command('firing').description('Look at what fired.');
  withDatabase(firing.command('list'))
    .description('List firings, newest first.')
    .option('-s, --schedule-id <id>', 'only those of this schedule, live or deleted')
    .option('--from <time>', 'only those scheduled at this time (ISO 8601) or later', parseTime)
    .option('--to <time>', 'only those scheduled before this time (ISO 8601)', parseTime)
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .option('--limit <count>', 'how many at most', parseCount, 50)
    .option('--json', 'print JSON, one line a row')
    .action(async (options: ListOptions) => {
      const { scheduleId, from, to, state, limit } = options;
      await withClient(environment, options, async (client) => {
        const rows: (string | undefined)[][] = [];
        let left = limit;
        for await (const row of client.firings({ scheduleId, from, to, state, pageSize: Math.min(limit, 200) })) {
          if (left-- === 0) break;
          if (options.json) printJson(row);
          else
            rows.push([
              printTime(row.scheduledTime),
              row.scheduleId,
              row.kind,
              row.state,
              row.outcome ?? row.reason ?? undefined,
              row.workflowId ?? undefined,
            ]);
        }
        if (!options.json) printTable(['SCHEDULED', 'SCHEDULE', 'KIND', 'STATE', 'OUTCOME, REASON', 'WORKFLOW'], rows);
      });
    });
}
