import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();
const tenant = (...args: string[]) => runCommand(['tenant', ...args], { DATABASE_URL: ledger().databaseUrl });
const cells = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));

it('tenant set changes the limits that it names, and shows what lies outside of them', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly', tenant: 'acme' }));
  const set = await tenant('set', 'acme', '--namespace', 'acme', '--namespace', 'acme-*', '--schedules', '5');
  expect(set.code).toBe(0);
  expect(cells(set.stdout)).toEqual([
    ['TENANT', 'NAMESPACES', 'TASK QUEUES', 'SCHEDULES', 'FIRINGS THIS HOUR'],
    ['acme', 'acme, acme-*', 'any', '1 of 5', 'any number'],
    [''],
    ['These schedules violate the limits, and still fire:'],
    ['SCHEDULE', 'FIELD', 'VALUE'],
    ['nightly', 'namespace', 'default'],
  ]);
  await tenant('set', 'acme', '--namespace', '*', '--schedules', 'unlimited', '--firings-per-hour', '60');
  expect(cells((await tenant('list')).stdout)[1]).toEqual(['acme', 'any', 'any', '1 of any number', '0 of 60']);
  expect((await tenant('remove', 'acme')).stdout).toBe("Nothing limits 'acme' any more.");
  expect(await tenant('describe', 'acme')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no tenant has limits under the name 'acme'"),
  });
});

it('tenant set refuses what cannot be, and a tenant', async () => {
  for (const [flags, said] of [
    [[], 'give a limit to change'],
    [['--schedules', 'many'], "use a whole number from 0, or 'unlimited'."],
    [['--firings-per-hour', '-1'], "use a whole number from 0, or 'unlimited'."],
    [['--namespace', 'a*b'], "has a '*' before its end"],
    [['--schedules', '1', '--tenant', 'acme'], 'only an operator sets limits'],
  ] as const) {
    const refused = await tenant('set', 'acme', ...flags);
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(said)]);
  }
  expect(await ledger().client.tenants.list()).toEqual([]);
});
