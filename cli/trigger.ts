import type { Command } from 'commander';
import { type DatabaseOptions, type Environment, withClient, withDatabase } from './environment';
import { printJson, printSafely, printTable, printTime } from './output';
import { withTimes } from './output-flags';
import { watched, withWatch } from './watch';

/** `escapement trigger …`: the processes that claim and start. */
export function addTriggerCommands(program: Command, environment: Environment): void {
  const trigger = program.command('trigger').description('Look at the processes that fire schedules.');

  withWatch(withTimes(withDatabase(trigger.command('list'))))
    .description('List the triggers that are alive, with their versions and their last signs of life.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async (options: DatabaseOptions & { json?: boolean }) => {
        const triggers = await withClient(environment, options, (client) => client.triggers());
        if (triggers.length === 0) printSafely(process.stderr, ['No trigger is alive: nothing fires.']);
        if (options.json) return triggers.forEach((one) => void printJson(one));
        printTable(
          ['HOST', 'VERSION', 'SCHEMA', 'ZONE DATA', 'LAST HEARTBEAT', 'TRIGGER'],
          triggers.map(({ host, version, schemaVersion, tz, heartbeatAt, id }) => [
            host,
            version,
            String(schemaVersion),
            tz ?? undefined,
            printTime(heartbeatAt),
            id,
          ]),
        );
      }),
    );
}
