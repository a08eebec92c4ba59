import type { Command } from 'commander';
import { addImportCrontabCommand } from './import-crontab';
import { addImportK8sCommand } from './import-k8s';

/** `escapement import …`: schedules of other schedulers. */
export function addImportCommands(program: Command): void {
  const parent = program.command('import').description('Read schedules of other schedulers.');
  addImportCrontabCommand(parent);
  addImportK8sCommand(parent);
}
