import { type Command, Option } from 'commander';
import type { LedgerSettingsUpdate } from '../../client/settings/settings-update';
import type { ScheduleAlerts } from '../../core/alert-rules';
import { durationInWords } from '../../core/duration';
import { migrate } from '../../migrations';
import { ALERT_FLAG, parseRule, rulesInWords } from '../alert/alert-rules';
import { type DatabaseOptions, type Environment, postgresOf, withClient, withDatabase } from '../environment';
import { print, printJson } from '../output/output';
import { addGrantsCommand } from './db-grants';

interface SettingsOptions extends Pick<LedgerSettingsUpdate, 'staleAfter' | 'retention'> {
  archiveFirst?: 'on' | 'off';
  alert?: ScheduleAlerts;
  json?: boolean;
}

export function addDbCommands(program: Command, environment: Environment): void {
  const db = program.command('db').description('Migrate the database, and manage its settings, roles and data.');
  withDatabase(db.command('migrate'))
    .description(
      'Migrate the schema to this version, without a pooler in transaction mode. It is safe at every deploy, also several times in parallel.',
    )
    .option(
      '--force',
      'migrate even if live triggers are too old for the new schema; such triggers then stop by themselves',
    )
    .option('--json', 'print one line of JSON')
    .action(async (options: DatabaseOptions & { json?: boolean; force?: boolean }) => {
      const applied = await migrate({
        ...postgresOf(environment, options),
        force: options.force,
        onProgress: console.error,
      });
      if (options.json) printJson({ applied });
      else print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    });

  addGrantsCommand(db, environment);

  withDatabase(db.command('settings'))
    .description(
      'Show the settings that all triggers share, and change those that a flag names. --alert replaces all alert rules of the ledger. Triggers read a change within four seconds.',
    )
    .option(
      '--stale-after <duration>',
      `age of the last heartbeat at which a trigger counts as dead, '5 seconds' to '1 hour' (default: 10 seconds)`,
    )
    .option(
      '--retention <duration>',
      "how long firings are kept at least, or 'forever' (default: 90 days)",
      parseRetention,
    )
    .addOption(
      new Option(
        '--archive-first <on|off>',
        "whether months past retention stay until 'escapement archive' has written them (default: off)",
      ).choices(['on', 'off']),
    )
    .option('--alert <rule=value...>', `${ALERT_FLAG}; for schedules without a rule of their own`, parseRule)
    .option('--json', 'print JSON')
    .action(
      async ({ staleAfter, retention, archiveFirst, alert: alerts, ...options }: DatabaseOptions & SettingsOptions) => {
        const settings = await withClient(environment, options, (client) =>
          [staleAfter, retention, archiveFirst, alerts].every((one) => one === undefined)
            ? client.settings.describe()
            : client.settings.set({
                staleAfter,
                retention,
                archiveFirst: archiveFirst === undefined ? undefined : archiveFirst === 'on',
                alerts,
              }),
        );
        if (options.json) return printJson(settings);
        print(`A trigger is dead ${inWords(settings.staleAfterMilliseconds)} after its last heartbeat.`);
        print(`Firings are kept for ${inWords(settings.retentionMilliseconds)}.`);
        if (settings.archiveFirst) print("Months past retention stay until 'escapement archive' has written them.");
        for (const rule of rulesInWords(settings.alerts)) print(`Alerts of all schedules: ${rule}.`);
      },
    );
}

function inWords(milliseconds: number): string {
  return Number.isFinite(milliseconds) ? durationInWords(milliseconds) : 'ever';
}

function parseRetention(text: string): string | number {
  return text === 'forever' ? Number.POSITIVE_INFINITY : text;
}
