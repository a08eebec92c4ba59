import type { Command } from 'commander';
import { testWebhook } from '../../alerts/test-webhook';
import { WEBHOOK_FIELDS } from '../../alerts/webhooks';
import { checkOptions } from '../../core/options';
import type { ListedAlert } from '../../index';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { parseCount } from '../options/arguments';
import { webhooksOf } from '../options/webhooks';
import { LISTED, showLimited } from '../output/limited';
import { print, printJson, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { watched, withWatch } from '../output/watch';
import { addSilenceCommands } from './silence';

type AlertOptions = ClientOptions & { json?: boolean };

export function addAlertCommands(program: Command, environment: Environment): void {
  const alert = program.command('alert').description('List, acknowledge and mute alerts.');

  withWatch(withTimes(withTenant(alert.command('list'))))
    .description('List open alerts, newest first.')
    .option('--resolved', 'include alerts that are over')
    .option('--limit <count>', 'how many at most', parseCount, LISTED)
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(
        async ({ json, resolved = false, limit, ...options }: AlertOptions & { resolved?: boolean; limit: number }) => {
          const read = (most: number) =>
            withClient(environment, options, (client) => client.alerts.list({ resolved, limit: most }));
          await showLimited(limit, read, (alerts) => {
            if (json) for (const one of alerts) printJson(one);
            else printTable(HEADINGS, alerts.map(rowOf));
          });
        },
      ),
    );

  withTenant(alert.command('ack'))
    .description('Acknowledge an alert: record that you know of it.')
    .argument('<alert-id>', "ID that 'escapement alert list' shows")
    .option('--json', 'print JSON')
    .action(async (alertId: string, { json, ...options }: AlertOptions) => {
      const known = await withClient(environment, options, (client) => client.alerts.ack(alertId));
      if (json) printJson(known);
      else print(`${known.acknowledgedBy} knows of it: ${known.text}`);
    });

  addSilenceCommands(alert, environment);

  alert
    .command('test')
    .description(
      'Send a test message to a webhook, as an alert is sent. Exits with 1 if the webhook does not accept it.',
    )
    .argument('<url>', 'where alerts are sent, as for run --alert-webhook')
    .option('--json', 'print JSON')
    .action(async (url: string, { json }: { json?: boolean }) => {
      const [webhook] = webhooksOf([url], environment);
      checkOptions(WEBHOOK_FIELDS, webhook);
      const tested = await testWebhook(webhook!);
      if (json) printJson(tested);
      else if (tested.taken) print(`The webhook accepted the test, with the webhook-id ${tested.messageId}.`);
      if (tested.taken) return;
      if (!json) throw new Error(`The webhook did not accept the test: ${tested.error}`);
      process.exitCode = 1;
    });
}

const HEADINGS = ['ALERT', 'CONDITION', 'OPENED', 'RESOLVED', 'ACKNOWLEDGED', 'OWNER', 'TEXT', 'RUN-BOOK'];

function rowOf(alert: ListedAlert) {
  const { alertId, condition, openedAt, resolvedAt, acknowledgedBy, owner, text, runbook } = alert;
  const [opened, resolved] = [printTime(openedAt), printTime(resolvedAt)];
  const known = acknowledgedBy ?? undefined;
  return [alertId, condition, opened, resolved, known, owner ?? undefined, text, runbook ?? undefined];
}
