import type { Command } from 'commander';
import { readCrontab } from '../../moving/dialects/crontab';
import { type ModuleOptions, withModule, writeModule } from './import-module';
import { readText } from './read-text';

export function addImportCrontabCommand(parent: Command): void {
  withModule(parent.command('crontab'))
    .description(
      'Turn a crontab into a TypeScript module of schedules, with notes on the decisions that you must make.',
    )
    .argument('<file>', "the crontab; '-' reads what 'crontab -l' prints")
    .option('--system', 'each command has a user before it, as in /etc/crontab and /etc/cron.d')
    .option('--time-zone <zone>', 'IANA time zone of the machine, unless CRON_TZ names another')
    .action(async (file: string, options: ModuleOptions & { system?: boolean; timeZone?: string }) => {
      const { system, timeZone, taskQueue } = options;
      const reading = readCrontab(await readText(file), { system, timeZone, taskQueue });
      await writeModule(reading, `crontab ${file}`, options);
    });
}
