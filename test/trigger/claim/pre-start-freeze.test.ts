import { Client } from 'pg';
import { expect, it } from 'vitest';
import { patiently, watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { SLOW } from './ahead';

const ledger = useLedger('2026-03-01T00:30:00Z');

const waitsForLock = async () =>
  (await ledger().query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .length > 0;

it.each([
  ['has planned', 'with locked as materialized', []],
  ['writes', 'with inserted as', ['schedule']],
])('a freeze that is created while a trigger %s a firing ahead holds it, or names it', async (_, statement, named) => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ scheduleId: 'schedule' }));
  const [from, to] = [new Date('2026-03-01T01:00:00Z'), new Date('2026-03-01T02:00:00Z')];
  let creating: ReturnType<typeof client.freezes.create> | undefined;
  let isNear = false;
  const pool = watchedPool(ledger(), {
    instead: patiently,
    before: async (text) => {
      if (!isNear || creating || !text.includes(statement)) return;
      let isCreated = false;
      creating = client.freezes.create({ all: true, from, to });
      creating.finally(() => {
        isCreated = true;
      });
      // The trigger goes on once the freeze is created, or waits for the trigger.
      await expect.poll(async () => isCreated || (await waitsForLock())).toBe(true);
    },
  });
  const { passes } = await ledger().trigger({ connectionString: undefined, pool, limits: SLOW });
  await passes.claim();
  clock.set('2026-03-01T00:59:59Z');
  isNear = true;
  await passes.claim();
  const { handedOver } = await creating!;
  expect(handedOver.map((firing) => firing.scheduleId)).toEqual(named);
  expect((await ledger().answers(scheduleId)).length).toBe(named.length);
});

it('while the creation of a freeze takes long, what it does not hold is claimed on time, and ahead once it is over', async () => {
  const { client, clock } = ledger();
  for (const scheduleId of ['early', 'on time']) {
    await client.create(
      someSchedule({ scheduleId, spec: { cron: scheduleId === 'early' ? '59 0 * * *' : '0 1 * * *' } }),
    );
  }
  const { passes } = await ledger().trigger({ limits: SLOW });
  await passes.claim();
  clock.set('2026-03-01T00:58:59Z');
  let isOpen = false;
  const pool = watchedPool(ledger(), {
    instead: patiently,
    before: async (text) => {
      if (text.includes('insert into "escapement"."freezes"')) isOpen = true;
      if (!isOpen || !/^commit/i.test(text)) return;
      isOpen = false;
      await passes.claim();
      clock.set('2026-03-01T00:59:00Z');
      await passes.claim();
    },
  });
  const creator = ledger().newClient({ connectionString: undefined, pool });
  await creator.freezes.create({ scheduleIds: ['other'], to: new Date('2026-03-01T02:00:00Z') });
  expect(await ledger().answers('early')).toEqual(['03-01T00:59:00 schedule claimed']);
  expect(await ledger().answers('on time')).toEqual([]);
  clock.set('2026-03-01T00:59:59Z');
  await passes.claim();
  expect(await ledger().answers('on time')).toEqual(['03-01T01:00:00 schedule claimed']);
});

it('a freeze is created however long a claim ahead takes', async () => {
  const claim = new Client({ connectionString: ledger().databaseUrl });
  await claim.connect();
  ledger().beforeClose(() => claim.end());
  await claim.query(`begin; select pg_advisory_xact_lock_shared(hashtext('escapement freezes escapement'))`);
  const pool = watchedPool(ledger(), { instead: (text) => text.replace(/(lock_timeout\W+)2s/, '$11ms') });
  const creating = ledger()
    .newClient({ connectionString: undefined, pool })
    .freezes.create({ all: true, to: new Date('2026-03-01T02:00:00Z') });
  let isOver = false;
  creating.finally(() => {
    isOver = true;
  });
  await expect.poll(async () => isOver || (await waitsForLock())).toBe(true);
  await claim.query('commit');
  expect((await creating).freeze.scheduleIds).toBe(null);
});
