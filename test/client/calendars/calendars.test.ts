import { expect, it } from 'vitest';
import { CalendarInUseError, CalendarNotFoundError, EscapementClient, InvalidScheduleError } from '../../../index';
import { patient, watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-12-23T12:00:00Z');
const spec = { cron: '0 2 * * *', skipDays: ['de-holidays'] };
const HOLIDAYS = [{ day: '2026-12-26' }, { day: '2026-12-25', label: 'Christmas Day' }];

it('a calendar is put, shown, listed with what names it, and deleted once nothing does', async () => {
  const { client } = ledger();
  const put = await client.calendars.put('de-holidays', { days: HOLIDAYS });
  expect(put).toEqual({
    name: 'de-holidays',
    tenant: '',
    status: 'created',
    days: 2,
    added: ['2026-12-25', '2026-12-26'],
    removed: [],
    schedules: 0,
    failed: [],
  });
  const handle = await client.create(someSchedule({ scheduleId: 'nightly', spec }));
  expect(await client.calendars.get('de-holidays')).toMatchObject({
    days: [{ day: '2026-12-25', label: 'Christmas Day' }, { day: '2026-12-26' }],
    actor: 'test',
  });
  expect(await client.calendars.list()).toEqual([
    expect.objectContaining({
      name: 'de-holidays',
      count: 2,
      first: '2026-12-25',
      last: '2026-12-26',
      schedules: 1,
      behind: 0,
    }),
  ]);
  await expect(client.calendars.delete('de-holidays')).rejects.toThrow(
    new CalendarInUseError('de-holidays', ['nightly'], 1),
  );
  await handle.delete();
  await client.calendars.delete('de-holidays');
  expect(await client.calendars.list()).toEqual([]);
  for (const name of ['de-holidays', 'a\0b']) {
    await expect(client.calendars.get(name)).rejects.toThrow(CalendarNotFoundError);
    await expect(client.calendars.delete(name)).rejects.toThrow(CalendarNotFoundError);
  }
});

it('deleting a calendar that does not exist takes one connection, as many callers may ask for it at once', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  const few = new EscapementClient({ connectionString: ledger().databaseUrl, connectionsAtMost: 1 });
  ledger().beforeClose(() => few.close());
  await expect(few.calendars.delete('de-holiday')).rejects.toThrow('did you mean de-holidays?');
});

it('a name that is no calendar is refused by its path, with one that is meant, by create, update, apply and get', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  const misspelt = someSchedule({
    scheduleId: 'nightly',
    spec: { cron: '0 2 * * *', skipDays: ['2026-12-31', 'de-holiday'] },
  });
  const problem = "there is no calendar 'de-holiday'; did you mean de-holidays?";
  await expect(client.create(misspelt)).rejects.toThrow(InvalidScheduleError);
  await expect(client.create(misspelt)).rejects.toMatchObject({
    path: 'spec.skipDays[1]',
    problem: expect.stringContaining(problem),
  });
  await expect(client.apply([misspelt], { source: 'billing', revision: 1 })).rejects.toMatchObject({
    problems: [expect.objectContaining({ path: 'spec.skipDays[1]' })],
  });
  const handle = await client.create(someSchedule({ scheduleId: 'nightly', spec }));
  await expect(
    handle.update((previous) => ({ ...previous, spec: { cron: '0 3 * * *', onlyDays: ['others'] } })),
  ).rejects.toMatchObject({ path: 'spec.onlyDays[0]' });
  await expect(client.calendars.get('de-holiday')).rejects.toThrow('did you mean de-holidays?');
  expect((await handle.describe()).info.version).toBe(1);
  // Without the ledger the existing calendars are unknown, but all other problems are reported.
  expect(client.check(misspelt)).toEqual([]);
  expect(client.check(someSchedule({ spec: { cron: '0 2 * *', onlyDays: ['de-holiday'] } }))).toEqual([
    expect.objectContaining({ path: 'spec.cron' }),
  ]);
});

it('describe says the days, and what it returns is valid as it is; what a definition says of them is not read', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  const handle = await client.create(
    someSchedule({ scheduleId: 'nightly', spec: { ...spec, calendarDays: { 'de-holidays': '2026-12-24' } } }),
  );
  const described = await handle.describe();
  expect(described.spec).toMatchObject({
    skipDays: ['de-holidays'],
    calendarDays: { 'de-holidays': '2026-12-25 2026-12-26' },
  });
  await handle.update((previous) => previous);
  expect((await handle.describe()).info.version).toBe(1);
  const declared = someSchedule({ scheduleId: 'nightly', spec });
  const taken = await client.apply([declared], { source: 'billing', revision: 1, takeOver: true });
  expect(taken.updated.map(({ changed }) => changed)).toEqual([['source']]);
  expect(await client.apply([declared], { source: 'billing', revision: 2 })).toMatchObject({ unchanged: ['nightly'] });
  expect(await client.calendars.fill(spec)).toMatchObject({ calendarDays: described.spec.calendarDays });
});

it('explain names the calendar and what the day is called, by the days of then', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  const handle = await client.create(
    someSchedule({ scheduleId: 'nightly', spec: { ...spec, timezone: 'Europe/Berlin' } }),
  );
  const skipped = await handle.explain('2026-12-25T02:00');
  expect(skipped).toMatchObject({
    answer: 'not_an_occurrence',
    skipped: { part: 'skipDays', entries: ['de-holidays'] },
  });
  expect(skipped.sentence).toBe(
    'Fri 2026-12-25 02:00:00 +01:00: skipped: 2026-12-25 is in calendar de-holidays (Christmas Day), by version 1 of the schedule; ' +
      'the nearest are Thu 2026-12-24 02:00:00 +01:00 and Sun 2026-12-27 02:00:00 +01:00.',
  );
  const other = await handle.explain('2026-12-25T03:00');
  expect(other.sentence).toContain('not an occurrence by version 1');
  expect(other).not.toHaveProperty('skipped');
  ledger().clock.set('2026-12-26T12:00:00Z');
  await client.calendars.put('de-holidays', { days: ['2027-01-01'] });
  // It was skipped by the version of that time.
  expect(await handle.explain('2026-12-25T02:00')).toMatchObject({ skipped: { entries: ['de-holidays'] } });
  await handle.update((previous) => ({
    ...previous,
    spec: { ...previous.spec, skipDays: ['2026-12-31'], onlyDays: ['de-holidays', '2026-12-30'] },
  }));
  expect((await handle.explain('2026-12-31T02:00')).sentence).toContain(
    'skipped: 2026-12-31 is one of its skipDays, by',
  );
  expect((await handle.explain('2026-12-29T02:00')).sentence).toContain(
    'skipped: 2026-12-29 is not one of its onlyDays (de-holidays, 2026-12-30), by',
  );
});

it('a dry run says which schedules it would change, and writes nothing; put again, it changes nothing', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  await client.create(someSchedule({ scheduleId: 'nightly', spec }));
  await client.create(someSchedule({ scheduleId: 'weekly', spec: { ...spec, cron: '0 2 * * MON' } }));
  await client.create(someSchedule({ scheduleId: 'others' }));
  // The 26th is a Saturday again, and the 24th is new.
  const days = ['2026-12-24', '2026-12-25'];
  const planned = await client.calendars.put('de-holidays', { days, dryRun: true });
  expect(planned).toMatchObject({
    status: 'changed',
    schedules: 2,
    added: ['2026-12-24'],
    removed: ['2026-12-26'],
    changes: [
      {
        scheduleId: 'nightly',
        fewer: 1,
        more: 1,
        nextBefore: new Date('2026-12-24T02:00:00Z'),
        nextAfter: new Date('2026-12-26T02:00:00Z'),
      },
    ],
  });
  expect(await client.calendars.get('de-holidays')).toMatchObject({
    days: [{ day: '2026-12-25' }, { day: '2026-12-26' }],
  });
  expect(await client.calendars.put('de-holidays', { days })).toMatchObject({ status: 'changed', schedules: 2 });
  expect(await client.calendars.put('de-holidays', { days })).toMatchObject({ status: 'unchanged', schedules: 0 });
});

it('who writes a definition while a calendar is put has the new days, and what an interrupted put left is finished by the next', async () => {
  const client = ledger().newClient(patient(ledger()));
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  const puts = ['2026-12-24', '2026-12-27', '2026-12-28'].map((day) =>
    client.calendars.put('de-holidays', { days: [day] }),
  );
  const creations = Array.from({ length: 12 }, (_, index) =>
    client.create(someSchedule({ scheduleId: `s${index}`, spec })),
  );
  await Promise.all([...puts, ...creations]);
  const [{ behind, schedules } = { behind: -1, schedules: -1 }] = await client.calendars.list();
  expect(schedules).toBe(12);
  expect(behind).toBe(0);
  // As if the process had ended after it had written the calendar.
  await ledger().query(`update escapement.calendars set days = '2026-12-30'`);
  expect(await client.calendars.list()).toMatchObject([{ behind: 12 }]);
  expect(await client.calendars.put('de-holidays', { days: ['2026-12-30'] })).toMatchObject({
    status: 'unchanged',
    schedules: 12,
  });
  expect(await client.calendars.list()).toMatchObject([{ behind: 0 }]);
});

it('a schedule outside of its tenant’s limits takes over new days, and a locked one keeps no other from them', async () => {
  const pool = watchedPool(ledger(), {
    instead: (text) => text.replace(/(lock_timeout\W+)2s/, (_, name) => `${name}100ms`),
  });
  const client = ledger().newClient({ connectionString: undefined, pool });
  const tenant = 'acme';
  await client.calendars.put('de-holidays', { days: HOLIDAYS, tenant });
  for (const scheduleId of ['elsewhere', 'locked', 'plain']) {
    const { action } = someSchedule();
    await client.create(someSchedule({ scheduleId, spec, tenant, action: { ...action, taskQueue: scheduleId } }));
  }
  await client.tenants.set(tenant, { taskQueues: ['locked', 'plain'] });
  await ledger().query(`begin; select 1 from escapement.timers where schedule_id = 'locked' for update`);
  const days = ['2026-12-24'];
  expect(await client.calendars.put('de-holidays', { days, tenant })).toMatchObject({
    schedules: 2,
    failed: [{ scheduleId: 'locked', problem: expect.stringContaining('is held by another open transaction') }],
  });
  await ledger().query('rollback');
  expect(await client.calendars.put('de-holidays', { days, tenant })).toMatchObject({ schedules: 1, failed: [] });
});

it('locked schedules keep a put waiting once for all of them, and are listed with who locks them', async () => {
  let waits = 0;
  const pool = watchedPool(ledger(), {
    instead: (text) => text.replace(/(lock_timeout\W+)2s/, (_, name) => `${name}100ms`),
    before: (text) => {
      if (/timers.* for no key update\s*$/s.test(text)) waits++;
    },
  });
  const client = ledger().newClient({ connectionString: undefined, pool });
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  for (const scheduleId of ['a', 'b', 'c', 'd']) await client.create(someSchedule({ scheduleId, spec }));
  await ledger().query(`begin; select 1 from escapement.timers where schedule_id <> 'c' for update`);
  waits = 0;
  const { schedules, failed } = await client.calendars.put('de-holidays', { days: ['2026-12-24'] });
  await ledger().query('rollback');
  expect({ schedules, waits, failed: failed.map(({ scheduleId }) => scheduleId) }).toEqual({
    schedules: 1,
    waits: 1,
    failed: ['a', 'b', 'd'],
  });
  expect(failed[0]!.problem).toMatch(
    /^a lock that schedule 'a' needs is held by another open transaction, by process \d+/,
  );
});

it('a schedule that is locked only for a while gets the new days all the same, in the same put', async () => {
  const pool = watchedPool(ledger(), {
    instead: (text) => text.replace(/(lock_timeout\W+)2s/, (_, name) => `${name}100ms`),
  });
  const client = ledger().newClient({ connectionString: undefined, pool });
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  for (const scheduleId of ['a', 'b']) await client.create(someSchedule({ scheduleId, spec }));
  await ledger().query(`begin; select 1 from escapement.timers where schedule_id = 'a' for update`);
  let reports = 0;
  const progress = async () => {
    if (reports++ === 0) await ledger().query('rollback');
  };
  const put = await client.calendars.put('de-holidays', { days: ['2026-12-24'], progress });
  expect(put).toMatchObject({ schedules: 2, failed: [] });
  expect(await client.calendars.list()).toMatchObject([{ behind: 0 }]);
});

it('a right that the role lacks ends a put, and each schedule follows once the right is granted', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: HOLIDAYS });
  for (const scheduleId of ['one', 'two']) await client.create(someSchedule({ scheduleId, spec }));
  await ledger().query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no right' using errcode = '42501'; end $$;
    create trigger refuse before insert on escapement.schedule_versions for each row execute function refuse()`);
  const put = () => client.calendars.put('de-holidays', { days: ['2026-12-24'] });
  await expect(put()).rejects.toThrow('no right');
  await ledger().query('drop function refuse cascade');
  expect(await put()).toMatchObject({ schedules: 2, failed: [] });
});

it('tenants have calendars of their own', async () => {
  const [a, b] = ['a', 'b'].map((tenant) => ledger().newClient({ tenant }));
  await a!.calendars.put('de-holidays', { days: ['2026-12-24'] });
  await expect(b!.create(someSchedule({ spec }))).rejects.toThrow("there is no calendar 'de-holidays' of tenant 'b'");
  await expect(b!.calendars.put('de-holidays', { days: [], tenant: 'a' })).rejects.toMatchObject({ path: 'tenant' });
  await a!.create(someSchedule({ scheduleId: 'of-a', spec }));
  await b!.calendars.put('de-holidays', { days: ['2026-12-25'] });
  await b!.create(someSchedule({ scheduleId: 'of-b', spec }));
  const { client } = ledger();
  expect((await client.calendars.list()).map(({ tenant, schedules }) => [tenant, schedules])).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  expect(await a!.calendars.list()).toHaveLength(1);
  await client.calendars.put('de-holidays', { days: ['2026-12-31'], tenant: 'a' });
  const days = async (id: string) => (await client.getHandle(id).describe()).spec.calendarDays;
  expect(await days('of-a')).toEqual({ 'de-holidays': '2026-12-31' });
  expect(await days('of-b')).toEqual({ 'de-holidays': '2026-12-25' });
});
