import { expect, it } from 'vitest';
import { ExternalIdTakenError } from '../../index';
import { patient } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:00:00Z');
const create = (scheduleId: string, more: object = {}) =>
  ledger().client.create(someSchedule({ scheduleId, externalId: 'crm-1', ...more }));
const taken = (takenBy: string) => ({ externalId: 'crm-1', takenBy });

it('an external ID is shown, listed and queried by, and kept by an update that leaves it out', async () => {
  const { client } = ledger();
  const handle = await create('invoices');
  await client.create(someSchedule());
  expect(await handle.describe()).toMatchObject({ externalId: 'crm-1' });
  for (const filter of [
    { externalId: 'crm-1' },
    { query: "externalId = 'crm-1'" },
    { query: "externalId STARTS_WITH 'crm-'" },
  ]) {
    const { schedules } = await client.listPage(filter);
    expect(schedules).toEqual([expect.objectContaining({ scheduleId: 'invoices', externalId: 'crm-1' })]);
  }
  await handle.update(({ spec, action }) => ({ spec, action }));
  expect(await handle.describe()).toMatchObject({ externalId: 'crm-1', info: { version: 1 } });
  await handle.update((previous) => ({ ...previous, externalId: '' }));
  expect(await handle.describe()).not.toHaveProperty('externalId');
});

it('no two live schedules of a tenant have the same one: the other is named, and nothing is written', async () => {
  const { client } = ledger();
  await create('invoices');
  await expect(create('other')).rejects.toMatchObject({
    name: 'ExternalIdTakenError',
    scheduleId: 'other',
    ...taken('invoices'),
  });
  await create('of-acme', { tenant: 'acme' });
  const other = await create('other', { externalId: 'crm-2' });
  const update = other.update((previous) => ({ ...previous, externalId: 'crm-1' }));
  await expect(update).rejects.toBeInstanceOf(ExternalIdTakenError);
  expect(await other.describe()).toMatchObject({ externalId: 'crm-2' });
  const applied = client.apply(
    [
      someSchedule({ scheduleId: 'a', externalId: 'crm-1' }),
      someSchedule({ scheduleId: 'b', externalId: 'crm-3' }),
      someSchedule({ scheduleId: 'c', externalId: 'crm-3' }),
    ],
    { source: 'billing', revision: 1 },
  );
  await expect(applied).rejects.toMatchObject({
    problems: [
      { scheduleId: 'c', path: 'externalId', problem: expect.stringContaining("'b'") },
      { scheduleId: 'a', path: 'externalId', problem: expect.stringContaining("'invoices'") },
    ],
  });
  await client.getHandle('invoices').delete();
  await create('again');
  await expect(create('invoices')).rejects.toMatchObject(taken('again'));
});

it('of two that ask at once one has it, and the other is told so', async () => {
  const asking = ledger().newClient(patient(ledger()));
  const both = await Promise.allSettled(
    ['one', 'two', 'three', 'four'].map((scheduleId) =>
      asking.create(someSchedule({ scheduleId, externalId: 'crm-1' })),
    ),
  );
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of both) {
    if (one.status === 'rejected')
      expect(one.reason).toMatchObject({ name: 'ExternalIdTakenError', takenBy: expect.any(String) });
  }
  // The index decides, since neither writer saw the other's row.
  const { client } = ledger();
  await ledger().query(`update escapement.schedules set external_id = null`);
  const index = await ledger().query(
    `select indisunique from pg_index where indexrelid = 'escapement.schedules_external_id'::regclass`,
  );
  expect(index).toEqual([{ indisunique: true }]);
  expect((await client.listPage({ externalId: 'crm-1' })).schedules).toEqual([]);
});

it('apply brings it to what is declared, and the command sets it, shows it and lists by it', async () => {
  const { client, databaseUrl } = ledger();
  const apply = (revision: number, more: object) =>
    client.apply([someSchedule({ scheduleId: 'invoices', ...more })], { source: 'billing', revision });
  await apply(1, { externalId: 'crm-1' });
  expect(await apply(2, { externalId: 'crm-2' })).toMatchObject({ updated: [{ changed: ['externalId'] }] });
  await apply(3, {});
  expect(await client.getHandle('invoices').describe()).not.toHaveProperty('externalId');
  const at = ['--database-url', databaseUrl];
  await runCommand(['schedule', 'update', 'invoices', '--external-id', 'crm-9', ...at]);
  expect((await runCommand(['schedule', 'describe', 'invoices', ...at])).stdout).toMatch(/external ID +crm-9/);
  expect((await runCommand(['schedule', 'list', '--external-id', 'crm-9', ...at])).stdout).toContain('invoices');
  expect((await runCommand(['schedule', 'list', '--external-id', 'crm-1', ...at])).stdout).not.toContain('invoices');
  await expect(client.create(someSchedule({ scheduleId: 'x', externalId: 'a\nb' }))).rejects.toMatchObject({
    path: 'externalId',
  });
});
