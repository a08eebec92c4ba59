import { expect, it } from 'vitest';
import { purge } from '../../owner/purge/purge';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A purge of the tenant `acme`, on a pool that does something else before its first statement with a text. */
function erase(part: string, meanwhile: () => Promise<unknown>) {
  let isFirst = true;
  const before = (text: string) => {
    if (!isFirst || !text.includes(part)) return undefined;
    isFirst = false;
    return meanwhile();
  };
  const pool = watchedPool(ledger(), { before }, 1);
  return purge({ pool }, { tenant: 'acme' }, { actor: 'dpo', onProgress: () => undefined });
}

async function write(scheduleId: string, scheduledTime: string): Promise<void> {
  await ledger().query(`select escapement.ensure_partition('${scheduledTime}'::timestamptz)`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, tenant, claimed_at)
      values ($1, $2, 'skipped', 'schedule', 'default', 1, 'acme', now())`,
    [scheduleId, scheduledTime],
  );
}

it('a claim of a schedule that its tenant creates during the purge of the tenant stays, and the purge says so', async () => {
  const client = ledger().newClient({ tenant: 'acme' });
  await client.create(someSchedule({ scheduleId: 'one' }));
  await ledger().client.create(someSchedule({ scheduleId: 'of nobody' }));
  // Left by an earlier release, of schedules that are erased.
  for (const scheduleId of ['gone', 'of nobody']) await write(scheduleId, '2026-03-01T00:00:00Z');
  const erased = erase('starts_with(x.resource', async () => {
    const handle = await client.create(someSchedule({ scheduleId: 'two' }));
    await handle.trigger();
  });
  await expect(erased).rejects.toMatchObject({
    name: 'PurgeInterruptedError',
    message: '1 schedule was created meanwhile, and not erased; run the command again',
  });
  expect(await ledger().query('select schedule_id as id from escapement.firings')).toEqual([{ id: 'two' }]);
});

it('a purge also erases firings of a month that is created during it', async () => {
  await ledger()
    .newClient({ tenant: 'acme' })
    .create(someSchedule({ scheduleId: 'one' }));
  const month = () => write('one', '2027-01-01T00:00:00Z');
  expect(await erase('insert into "escapement"."purges"', month)).toMatchObject({ counts: { firings: 1 } });
  expect(await ledger().query('select from escapement.firings')).toEqual([]);
});

it('the hours of a tenant are erased after its quota, so that no quota without hours is left by a killed purge', async () => {
  const client = ledger().newClient({ tenant: 'acme' });
  await client.create(someSchedule({ scheduleId: 'one' }));
  await ledger().client.tenants.set('acme', { firingsPerHour: 5 });
  const quotas: unknown[] = [];
  await erase('delete from only "escapement"."tenant_hours"', async () => {
    quotas.push(...(await ledger().query('select tenant from escapement.tenants')));
  });
  expect(quotas).toEqual([]);
  expect(await ledger().query('select from escapement.tenant_hours')).toEqual([]);
});

it.each([
  ['is retired before a purge erases rows', 'insert into "escapement"."purges"', true],
  ['is not retired while a purge erases rows', 'update only "escapement"."api_requests"', false],
])('a month that a trigger would retire %s', async (_, part, isRetired) => {
  await ledger()
    .newClient({ tenant: 'acme' })
    .create(someSchedule({ scheduleId: 'one' }));
  await write('one', '2025-01-01T00:00:00Z');
  const retire = () => ledger().query(`select escapement.retire_partition('2025-01-01Z'::timestamptz) as retired`);
  let meanwhile: unknown;
  const erased = await erase(part, async () => {
    meanwhile = await retire();
  });
  expect(erased).toMatchObject({ counts: { firings: 1 } });
  expect(meanwhile).toEqual([{ retired: isRetired }]);
  expect(await retire()).toEqual([{ retired: !isRetired }]);
});
