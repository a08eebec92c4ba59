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

/** `escapement tenant …`: what an operator allows tenants. */
export function addTenantCommands(program: Command, environment: Environment): void {
  const tenant = program
    .command('tenant')
    .description('Say what tenants may: where they start workflows, how many schedules, how many firings.');

  withTenant(tenant.command('set'))
    .description(
      'Limit a tenant, or change its limits: what no flag names stays as it is. What it has already goes on.',
    )
    .argument('<name>', 'the tenant')
    .option(
      '--namespace <name>',
      "one more namespace that its schedules may name, 'acme-*' for all that begin so, '*' for any",
      parseTexts,
    )
    .option('--task-queue <name>', 'one more task queue that they may name, in the same form', parseTexts)
    .option('--schedules <number>', "live schedules that it may have, or 'unlimited'", parseLimit)
    .option(
      '--firings-per-hour <number>',
      "firings of it in an hour of the clock, or 'unlimited'; more wait for the next",
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
      if (Object.values(limits).every((limit) => limit === undefined))
        command.error('error: give what is to be changed');
      show(options, await withClient(environment, options, (client) => client.tenants.set(name, limits)));
    });

  withTenant(tenant.command('describe'))
    .description('Show what a tenant may, what it has, and which of its schedules lie outside.')
    .argument('<name>', 'the tenant')
    .option('--json', 'print JSON')
    .action(async (name: string, options: TenantOptions) => {
      show(options, await withClient(environment, options, (client) => client.tenants.describe(name)));
    });

  withWatch(withTenant(tenant.command('list')))
    .description('List the tenants that are limited in anything.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async (options: TenantOptions) => {
        const tenants = await withClient(environment, options, (client) => client.tenants.list());
        if (options.json) for (const one of tenants) printJson(one);
        else printTenants(tenants);
      }),
    );

  withTenant(tenant.command('remove'))
    .description('Limit a tenant in nothing any more. Its schedules stay.')
    .argument('<name>', 'the tenant')
    .option('--json', 'print JSON')
    .action(async (name: string, options: TenantOptions) => {
      await withClient(environment, options, (client) => client.tenants.remove(name));
      report(options, { tenant: name, removed: true }, `Nothing limits '${name}' any more.`);
    });
}

/** `*` among them is any name. */
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
  print('\nOutside of what it may, and going on:');
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
