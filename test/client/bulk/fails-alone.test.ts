import { expect, it } from 'vitest';
import { patient } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { bulkOn } from './bulk-on';

const ledger = useLedger();
const { schedules, paused, locked, refusing, isBlocked } = bulkOn(ledger);

it('a schedule that Postgres refuses to change, or that would get too many attributes, fails alone', async () => {
  const { client } = ledger();
  await schedules(3);
  await refusing('P0001');
  expect(await client.bulk.pause({ all: true })).toMatchObject({
    state: 'done',
    changed: 2,
    failed: 1,
    errors: [{ scheduleId: 's-00', error: 'not this one' }],
  });
  const named = (letter: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${letter}${at}`, ['x']]));
  const { action } = someSchedule();
  await client.create(someSchedule({ scheduleId: 'many', action, searchAttributes: named('a', 90) }));
  expect(await client.bulk.tag({ all: true }, { searchAttributes: named('b', 20) })).toMatchObject({
    changed: 2,
    failed: 2,
  });
  expect(Object.keys((await client.getHandle('many').describe()).searchAttributes)).toHaveLength(90);
});

it.each([['{"x": null}'], ['"none"']])('a schedule whose stored search attributes are %s is tagged', async (stored) => {
  const { client } = ledger();
  await schedules(2);
  const damage = `update escapement.schedules set search_attributes = $1::jsonb where schedule_id = 's-00'`;
  await ledger().query(damage, [stored]);
  const tags = { owner: 'ops', searchAttributes: { Team: ['billing'] } };
  expect(await client.bulk.tag({ all: true }, tags)).toMatchObject({ state: 'done', changed: 2 });
  expect(await client.getHandle('s-00').describe()).toMatchObject(tags);
});

it('a schedule whose change needs a right that the role lacks fails alone, and the operation ends', async () => {
  const { client } = ledger();
  await schedules(3);
  await refusing('42501');
  expect(await client.bulk.pause({ all: true })).toMatchObject({
    state: 'done',
    changed: 2,
    failed: 1,
    errors: [{ scheduleId: 's-00', error: 'not this one' }],
  });
});

it('a schedule that others lock holds up no other, and is come back to', async () => {
  const ids = await schedules(9);
  const release = await locked(`schedule_id <> 's-08'`);
  const pause = ledger().client.bulk.pause({ all: true });
  // Each wait for a lock ends after two seconds.
  await expect.poll(paused).toEqual(['s-08']);
  await release();
  expect(await pause).toMatchObject({ state: 'done', changed: 9, failed: 0 });
  expect(await paused()).toEqual(ids);
});

it('a schedule that stays locked fails alone, and names who locks it', async () => {
  await schedules(2);
  await locked(`schedule_id = 's-00'`);
  expect(await ledger().client.bulk.pause({ all: true })).toMatchObject({
    state: 'done',
    changed: 1,
    failed: 1,
    errors: [{ scheduleId: 's-00', error: expect.stringContaining('by-hand') }],
  });
});

it('a schedule that others lock for a moment at each attempt does not fail, since the last attempt waits', async () => {
  await schedules(1);
  const release = await locked(`schedule_id = 's-00'`);
  const pause = ledger().newClient(patient(ledger())).bulk.pause({ all: true });
  await expect.poll(isBlocked, { timeout: 20_000 }).toBe(true);
  await release();
  expect(await pause).toMatchObject({ state: 'done', changed: 1, failed: 0 });
});
