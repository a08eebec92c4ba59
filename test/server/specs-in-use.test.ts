import { Client } from 'pg';
import { expect, it } from 'vitest';
import { SpecsInUse } from '../../server/agenda/specs';
import { openStore } from '../../store/connection';
import { setAside } from '../../store/schedules/due';
import { type Watcher, watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger();

/** The specs of a ledger with the schedules `b-1` to `b-3000`, which are two pages, and of `a`, on the first of them. */
async function read(watcher: Watcher) {
  for (const scheduleId of ['a', 'b']) await ledger().client.create(someSchedule({ scheduleId }));
  for (const table of ['schedules', 'schedule_versions', 'timers'])
    await ledger().query(`insert into escapement.${table}
      select (jsonb_populate_record(t, jsonb_build_object('schedule_id', 'b-' || n))).*
      from escapement.${table} t, generate_series(1, 3000) n where schedule_id = 'b'`);
  const store = openStore({ pool: watchedPool(ledger(), watcher) });
  ledger().beforeClose(() => store.close());
  const specs = new SpecsInUse(store);
  await specs.current();
  const knows = (scheduleId: string) => specs.forms().some(({ schedules }) => schedules.has(scheduleId));
  expect(knows('a') && knows('b-7')).toBe(true);
  return { specs, knows };
}

const erase = (scheduleId: string) =>
  ledger().query('delete from escapement.schedules where schedule_id = $1', [scheduleId]);
const isPage = (text: string) => text.includes('schedule_id > ');

it('an erased schedule is forgotten although the read after its purge failed once', async () => {
  let isAway = false;
  const { specs, knows } = await read({
    before: (text) => {
      if (isAway && isPage(text)) throw new Error('Postgres is away');
    },
  });
  await erase('b-7');
  isAway = true;
  await expect(specs.current()).rejects.toThrow('Postgres is away');
  isAway = false;
  await specs.current();
  expect(knows('b-7')).toBe(false);
});

it('a schedule is not forgotten that was deleted as its page was read, and created again before the last page', async () => {
  const isDeleted = (value: string) =>
    ledger().query(`update escapement.schedules set deleted_at = ${value} where schedule_id = 'a'`);
  let isErased = false;
  let meanwhile: Promise<void> | undefined;
  const { specs, knows } = await read({
    before: async (text) => {
      if (isErased && isPage(text) && !meanwhile) await isDeleted('now()');
      if (meanwhile && text.includes('changed >= ')) await isDeleted('null');
    },
    after: (text) => {
      if (isErased && isPage(text)) meanwhile ??= specs.current();
    },
  });
  await erase('b-7');
  isErased = true;
  await specs.current();
  await meanwhile;
  expect(knows('a')).toBe(true);
  expect(knows('b-7')).toBe(false);
});

it('a schedule that was set aside does not fire, until somebody changes it', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule({ scheduleId: 'a' }));
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const specs = new SpecsInUse(store);
  const forms = async () => {
    await specs.current();
    return specs.forms().length;
  };
  expect(await forms()).toBe(1);
  await setAside(store, { scheduleId: 'a', version: 1 }, 'its zone is unknown', new Date());
  expect(await forms()).toBe(0);
  await handle.update((former) => ({ ...former, spec: { cron: '0 3 * * *' } }));
  expect(await forms()).toBe(1);
});

it('reads a changed schedule once while a transaction stays open, and what that one changed once it commits', async () => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'a' }));
  const open = new Client({ connectionString: ledger().databaseUrl });
  await open.connect();
  ledger().beforeClose(() => open.end());
  const read: unknown[] = [];
  const before = (text: string, values: unknown[]) => text.includes('s.schedule_id = any') && read.push(...values);
  const store = openStore({ pool: watchedPool(ledger(), { before }) });
  ledger().beforeClose(() => store.close());
  const specs = new SpecsInUse(store);
  await specs.current();
  await open.query('begin');
  await open.query(`update escapement.schedules set paused = true where schedule_id = 'a'`);
  await client.create(someSchedule({ scheduleId: 'b' }));
  for (let time = 0; time < 3; time++) await specs.current();
  expect(read.splice(0)).toEqual(['{"b"}']);
  await open.query('commit');
  for (let time = 0; time < 3; time++) await specs.current();
  expect(read).toEqual(['{"a"}']);
});
