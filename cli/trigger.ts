import type { Command } from 'commander';
import type { AliveTrigger, StartCap } from '../index';
import { type DatabaseOptions, type Environment, withClient, withDatabase } from './environment';
import { printJson, printSafely, printTable, printTime } from './output/output';
import { withTimes } from './output/output-flags';
import { watched, withWatch } from './output/watch';

export function addTriggerCommands(program: Command, environment: Environment): void {
  const trigger = program.command('trigger').description('List the trigger processes, which fire schedules.');

  withWatch(withTimes(withDatabase(trigger.command('list'))))
    .description('List the live triggers, with their versions and last heartbeats.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async (options: DatabaseOptions & { json?: boolean }) => {
        const triggers = await withClient(environment, options, (client) => client.triggers());
        if (triggers.length === 0) printSafely(process.stderr, ['No trigger is alive: nothing fires.']);
        if (options.json) return triggers.forEach((one) => void printJson(one));
        printTable(
          ['HOST', 'VERSION', 'SCHEMA', 'ZONE DATA', 'LAST HEARTBEAT', 'CAPS', 'TRIGGER'],
          triggers.map(({ host, version, schemaVersion, tz, heartbeatAt, id, ...caps }) => [
            host,
            version,
            String(schemaVersion),
            tz ?? undefined,
            printTime(heartbeatAt),
            capsInWords(caps),
            id,
          ]),
        );
      }),
    );
}

/** The known caps of a trigger, such as `task queue 'reports' 3/s, full since …`; nothing if there are none. */
function capsInWords({ startCaps, fullCaps }: Pick<AliveTrigger, 'startCaps' | 'fullCaps'>): string | undefined {
  const caps = (startCaps ?? fullCaps).map((cap) => {
    const full = fullCaps.find((one) => nameOf(one) === nameOf(cap));
    return `${nameOf(cap)} ${cap.perSecond}/s${full ? `, full since ${full.since}` : ''}`;
  });
  return caps.length === 0 ? undefined : caps.join('; ');
}

function nameOf(cap: StartCap): string {
  return 'namespace' in cap ? `namespace '${cap.namespace}'` : `task queue '${cap.taskQueue}'`;
}
