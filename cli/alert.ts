import type { Command } from 'commander';
import type { Alert } from '../index';
import { parseCount } from './arguments';
import { type ClientOptions, type Environment, withClient, withTenant } from './environment';
import { print, printJson, printTable, printTime } from './output';

type AlertOptions = ClientOptions & { json?: boolean };

/** `escapement alert …`: what people are told of before they ask. */
export function addAlertCommands(program: Command, environment: Environment): void {
  const alert = program.command('alert').description('See what is wrong, and say that you know of it.');

  withTenant(alert.command('list'))
    .description('List open alerts, newest first.')
    .option('--resolved', 'those that are over as well')
    .option('--limit <count>', 'how many at most', parseCount, 200)
    .option('--json', 'print JSON, one line a row')
    .action(
      async ({ json, resolved = false, limit, ...options }: AlertOptions & { resolved?: boolean; limit: number }) => {
        const alerts = await withClient(environment, options, (client) => client.alerts.list({ resolved, limit }));
        if (json) for (const one of alerts) printJson(one);
        else printTable(['ALERT', 'CONDITION', 'OPENED', 'RESOLVED', 'ACKNOWLEDGED', 'TEXT'], alerts.map(rowOf));
      },
    );

  withTenant(alert.command('ack'))
    .description('Say that you know of an alert.')
    .argument('<alert-id>')
    .option('--json', 'print JSON')
    .action(async (alertId: string, { json, ...options }: AlertOptions) => {
      const known = await withClient(environment, options, (client) => client.alerts.ack(alertId));
      if (json) printJson(known);
      else print(`${known.acknowledgedBy} knows of it: ${known.text}`);
    });
}

function rowOf({ alertId, condition, openedAt, resolvedAt, acknowledgedBy, text }: Alert) {
  return [alertId, condition, printTime(openedAt), printTime(resolvedAt), acknowledgedBy ?? undefined, text];
}
