import type { Command } from 'commander';
import type { TenantDescription, TenantStatus } from '../client/tenants/tenants';
import { type ClientOptions, type Environment, withClient, withTenant } from './environment';
import { parseLimit, parseTexts } from './options/arguments';
import { print, printJson, printTable } from './output/output';
import { watched, withWatch } from './output/watch';
import { report } from './schedule/schedule-commands';

type TenantOptions = ClientOptions & { json?: boolean };
type LimitOptions = TenantOptions & {
  namespace?: string[];
  taskQueue?: string[];
  schedules?: number;
  firingsPerHour?: number;
};

export function addTenantCommands(program: Command, environment: Environment): void {
  const tenant = program
    .command('tenant')
    .description(
      'Set limits for tenants: where they may start workflows, and how many schedules and firings they may have.',
    );

  withTenant(tenant.command('set'))
    .description(
      'Set or change the limits of a tenant. Limits that no flag names stay as they are. Existing schedules outside new names still fire by their specs.',
    )
    .argument('<name>', 'the tenant')
    .option(
      '--namespace <name>',
      "a namespace that its schedules may use; 'acme-*' for a prefix, '*' for any; may be repeated",
      parseTexts,
    )
    .option(
      '--task-queue <name>',
      'a task queue that its schedules may use, in the same form; may be repeated',
      parseTexts,
    )
    .option('--schedules <number>', "maximum number of live schedules, or 'unlimited'", parseLimit)
    .option(
      '--firings-per-hour <number>',
      "maximum number of firings per hour of the clock, or 'unlimited'; further ones wait for the next hour",
      parseLimit,
    )
    .option('--json', 'print JSON')
    .action(async (name: string, options: LimitOptions, command: Command) => {
      const limits = {
        namespaces: namesOf(options.namespace),
        taskQueues: namesOf(options.taskQueue),
        schedules: countOf(options.schedules),
        firingsPerHour: countOf(options.firingsPerHour),
      };
      if (Object.values(limits).every((limit) => limit === undefined)) command.error('error: give a limit to change');
      show(options, await withClient(environment, options, (client) => client.tenants.set(name, limits)));
    });

  withTenant(tenant.command('describe'))
    .description('Show the limits of a tenant, its usage, and its schedules outside the allowed names.')
    .argument('<name>', 'the tenant')
    .option('--json', 'print JSON')
    .action(async (name: string, options: TenantOptions) => {
      show(options, await withClient(environment, options, (client) => client.tenants.describe(name)));
    });

  withWatch(withTenant(tenant.command('list')))
    .description('List the tenants that have limits.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async (options: TenantOptions) => {
        const tenants = await withClient(environment, options, (client) => client.tenants.list());
        if (options.json) for (const one of tenants) printJson(one);
        else printTenants(tenants);
      }),
    );

  withTenant(tenant.command('remove'))
    .description('Remove all limits of a tenant. Its schedules stay.')
    .argument('<name>', 'the tenant')
    .option('--json', 'print JSON')
    .action(async (name: string, options: TenantOptions) => {
      await withClient(environment, options, (client) => client.tenants.remove(name));
      report(options, { tenant: name, removed: true }, `Nothing limits '${name}' any more.`);
    });
}

/** A `*` in the list allows every name. */
function namesOf(given: string[] | undefined): string[] | null | undefined {
  return given?.includes('*') ? null : given;
}

function countOf(given: number | undefined): number | null | undefined {
  return given === Number.POSITIVE_INFINITY ? null : given;
}

function show(options: TenantOptions, description: TenantDescription): void {
  const { outside } = description;
  if (options.json) printJson(description);
  else printTenants([description]);
  if (options.json || outside.length === 0) return;
  print('\nThese schedules violate the limits, and still fire:');
  printTable(
    ['SCHEDULE', 'FIELD', 'VALUE'],
    outside.map(({ scheduleId, path, value }) => [scheduleId, path, value]),
  );
}

function printTenants(tenants: TenantStatus[]): void {
  printTable(
    ['TENANT', 'NAMESPACES', 'TASK QUEUES', 'SCHEDULES', 'FIRINGS THIS HOUR'],
    tenants.map(({ tenant, limits, used }) => [
      tenant,
      limits.namespaces?.join(', ') ?? 'any',
      limits.taskQueues?.join(', ') ?? 'any',
      `${used.schedules} of ${limits.schedules ?? 'any number'}`,
      limits.firingsPerHour === null ? 'any number' : `${used.firingsThisHour} of ${limits.firingsPerHour}`,
    ]),
  );
}
