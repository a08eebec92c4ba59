import type { Command } from 'commander';
import type { Environment } from '../environment';
import { addImportCrontabCommand } from './import-crontab';
import { addImportK8sCommand } from './import-k8s';
import { addNativeImport } from './import-native';

export function addImportCommands(program: Command, environment: Environment): void {
  // Options that follow a subcommand such as `crontab` belong to that subcommand.
  const parent = addNativeImport(program, environment).enablePositionalOptions();
  addImportCrontabCommand(parent);
  addImportK8sCommand(parent);
}
