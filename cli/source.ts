import type { Command } from 'commander';
import { type ClientOptions, type Environment, withClient, withTenant } from './environment';
import { parseWhole } from './options/arguments';
import { printJson, printTable } from './output/output';
import { watched, withWatch } from './output/watch';
import { report } from './schedule/schedule-commands';

type SourceOptions = ClientOptions & { json?: boolean };

export function addSourceCommands(program: Command, environment: Environment): void {
  const source = program
    .command('source')
    .description('List the sources that declare schedules in code, and set their revisions.');

  withWatch(withTenant(source.command('list')))
    .description('List the sources, each with the revision that began last, or that a reset has set.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async (options: SourceOptions) => {
        const sources = await withClient(environment, options, (client) => client.sources.list());
        if (options.json) return sources.forEach((one) => void printJson(one));
        printTable(
          ['SOURCE', 'TENANT', 'REVISION', 'APPLIED', 'SCHEDULES'],
          sources.map(({ source: name, tenant, revision, complete, schedules }) => [
            name,
            tenant,
            String(revision),
            complete ? 'whole' : 'in part',
            String(schedules),
          ]),
        );
      }),
    );

  withTenant(
    source.command('reset'),
    'the tenant of the source (default: ESCAPEMENT_TENANT, else the source without a tenant)',
  )
    .description(
      'Set the revision of a source, so that this revision and higher ones may be applied again. Changes no schedule.',
    )
    .argument('<source>', "the SOURCE of 'source list'; give its TENANT by --tenant")
    .requiredOption('--revision <number>', 'the lowest revision that may be applied from now on', parseWhole)
    .option('--json', 'print JSON')
    .action(async (name: string, options: SourceOptions & { revision: number }) => {
      const { revision } = options;
      const status = await withClient(environment, options, (client) => client.sources.reset(name, { revision }));
      report(
        options,
        status,
        `'${name}' is at revision ${revision}: this revision and higher ones can be applied again.`,
      );
    });
}
