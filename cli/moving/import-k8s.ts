import type { Command } from 'commander';
import type { Reading } from '../../moving/dialects/found';
import { readManifests } from '../../moving/dialects/k8s';
import { type ModuleOptions, withModule, writeModule } from './import-module';
import { readText } from './read-text';

export function addImportK8sCommand(parent: Command): void {
  withModule(parent.command('k8s'))
    .description(
      'Turn CronJob manifests into a TypeScript module of schedules, with notes on the decisions that you must make.',
    )
    .argument(
      '<file...>',
      "YAML or JSON, several documents a file; '-' reads what 'kubectl get cronjobs -o yaml' prints",
    )
    .action(async (files: string[], options: ModuleOptions) => {
      const texts: { name: string; text: string }[] = [];
      const unread: Reading['problems'] = [];
      for (const name of files) {
        await readText(name).then(
          (text) => texts.push({ name, text }),
          (error) => unread.push({ where: name, problem: (error as Error).message }),
        );
      }
      const { found, problems } = readManifests(texts, { taskQueue: options.taskQueue });
      await writeModule({ found, problems: [...unread, ...problems] }, files.join(', '), options);
    });
}
