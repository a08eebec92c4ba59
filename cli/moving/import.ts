import type { Command } from 'commander';
import type { Environment } from '../environment';
import { addImportCrontabCommand } from './import-crontab';
import { addImportK8sCommand } from './import-k8s';
import { addNativeImport } from './import-native';

/** `escapement import …`: Temporal's own schedules, and those of other schedulers. */
export function addImportCommands(program: Command, environment: Environment): void {
  // An option behind `crontab` is of that command, and not of this one.
  const parent = addNativeImport(program, environment).enablePositionalOptions();
  addImportCrontabCommand(parent);
  addImportK8sCommand(parent);
}
