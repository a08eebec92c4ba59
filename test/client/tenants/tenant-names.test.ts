import { expect, it } from 'vitest';
import { TenantQuotaError } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
/** Names with a special meaning in patterns, SQL or JSON, and names that are nearly equal to another's. */
const NAMES = ['%', '_', 'b%', 'B', 'b ', ' b', "b' or '1'='1", 'b"', '["b"', 'b\\', '""', 'null', '*'];
const TEXTS = ['%', '_-', "'", '\\', "' or true --"];

async function all(list: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of list) items.push(item);
  return items;
}

it('a tenant of any name, with filters of any text, sees and changes its own alone', async () => {
  const b = ledger().newClient({ tenant: 'b' });
  await b.create(someSchedule({ scheduleId: 'b-nightly', state: { note: 'of b' } }));
  await b.apply([someSchedule({ scheduleId: 'b-declared' })], { source: 'code', revision: 7 });
  await b.getHandle('b-nightly').trigger();
  await ledger().client.tenants.set('b', { schedules: 2, firingsPerHour: 5 });
  const ofB = async () => [
    await ledger().query(`select * from escapement.schedules where tenant = 'b' order by 1`),
    await ledger().query(`select * from escapement.firings where schedule_id like 'b-%'`),
    await ledger().query(`select * from escapement.tenants where tenant = 'b'`),
    await ledger().query(`select * from escapement.meta where key = 'source:["b","code"]'`),
  ];
  const before = await ofB();

  for (const [index, tenant] of NAMES.entries()) {
    const client = ledger().newClient({ tenant });
    const ids = [`a${index}-own`, `a${index}-declared`];
    await ledger().client.tenants.set(tenant, { schedules: 2, namespaces: ['default'], firingsPerHour: 1 });
    await client.create(someSchedule({ scheduleId: ids[0]!, action: { ...someSchedule().action, workflowId: 'w' } }));
    await client.apply([someSchedule({ scheduleId: ids[1]! })], { source: 'code', revision: 1, prune: true });
    await expect(client.create(someSchedule()), tenant).rejects.toThrow(TenantQuotaError);
    expect(await all(client.list()), tenant).toMatchObject([{ scheduleId: ids[1] }, { scheduleId: ids[0] }]);
    expect(await all(client.firings()), tenant).toEqual([]);
    expect(await client.stats(), tenant).toMatchObject({ total: 0, claimed: 0 });
    expect(await client.sources.list(), tenant).toMatchObject([{ tenant, source: 'code', revision: 1 }]);
    expect(await client.tenants.list(), tenant).toMatchObject([{ tenant, used: { schedules: 2 } }]);
  }
  expect(await ofB()).toEqual(before);

  for (const text of TEXTS) {
    expect(await all(b.list({ text })), text).toEqual([]);
    expect(await all(b.firings({ text })), text).toEqual([]);
    expect(await all(b.list({ query: `scheduleId STARTS_WITH "${text.replaceAll('\\', '\\\\')}"` })), text).toEqual([]);
    expect(await all(b.deadLetters.list({ message: text, failureType: text, step: text })), text).toEqual([]);
  }
});
