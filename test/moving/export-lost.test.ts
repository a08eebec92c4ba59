import { expect, it } from 'vitest';
import { lostSilence, lostTimes } from '../../moving/export/lost';
import { openStore } from '../../store/connection';
import { readSchedule } from '../../store/reads/read-schedules';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);

it('an export lists each freeze that holds the schedule or will, and none that is over, also of one that sleeps', async () => {
  const { client, clock } = ledger();
  const scheduleId = 'asleep';
  await client.create(someSchedule({ scheduleId, tenant: 'acme', state: { paused: true } }));
  const freeze = async (which: object, from: string, to: string) =>
    (await client.freezes.create({ ...which, from: time(from), to: time(to) } as never)).freeze.freezeId!;
  const isOver = await freeze({ all: true }, '01:00:00', '02:00:00');
  const isEnded = await freeze({ scheduleIds: [scheduleId] }, '01:00:00', '09:00:00');
  const ofAnother = await freeze({ tenant: 'beta' }, '01:00:00', '09:00:00');
  const listed = [
    await freeze({ all: true }, '02:00:00', '06:00:00'),
    await freeze({ tenant: 'acme' }, '04:00:00', '07:00:00'),
    await freeze({ query: `scheduleId = '${scheduleId}'` }, '05:00:00', '08:00:00'),
  ];
  clock.set('2026-03-01T02:30:00Z');
  await client.freezes.end(isEnded);
  clock.set('2026-03-01T03:00:00Z');

  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const lost = await lostSilence(store, (await readSchedule(store, scheduleId))!, new Date(clock.now()));
  expect(lost.map((line) => line.split(' ')[1])).toEqual(listed);
  expect(lost[1]).toMatch(/: its times fire$/);
  for (const id of [isOver, isEnded, ofAnother]) expect(lost.join()).not.toContain(id);
  expect(lost[0]).toMatch(/from 2026-03-01T02:00:00.000Z to 2026-03-01T06:00:00.000Z: its later times fire$/);
});

it('an export says when the pause of a schedule ends, since the native one stays paused', async () => {
  const { client, clock } = ledger();
  const paused = await client.create(someSchedule({ scheduleId: 'until-four' }));
  await paused.pause({ until: time('04:00:00') });
  await client.create(someSchedule({ scheduleId: 'for-good', state: { paused: true } }));

  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const lostOf = async (scheduleId: string) =>
    lostSilence(store, (await readSchedule(store, scheduleId))!, new Date(clock.now()));
  expect(await lostOf('until-four')).toEqual([
    'paused until 2026-03-01T04:00:00.000Z, when it fires here again: the native one stays paused, so export it then',
  ]);
  expect(await lostOf('for-good')).toEqual([]);
});

it('an export counts what a freeze has held back until the unpause of the native schedule, and only of one with actions left', async () => {
  const { client, clock } = ledger();
  const spec = { intervals: [{ every: '1h' as const }] };
  await client.create(someSchedule({ scheduleId: 'held', spec }));
  await client.create(someSchedule({ scheduleId: 'completed', spec, state: { remainingActions: 1 } }));
  await client.freezes.create({ all: true, from: time('02:00:00'), to: time('09:00:00') });
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:30:00Z');
  await passes.claim();

  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const liveSince = time('04:30:00').getTime();
  expect(await lostTimes(store, 'held', liveSince)).toEqual(['3 times that a freeze held back run on neither side']);
  expect(await lostTimes(store, 'held', undefined)).toEqual([
    'times that a freeze held back run on neither side if they were due while the native schedule was paused',
  ]);
  for (const since of [liveSince, undefined]) expect(await lostTimes(store, 'completed', since)).toEqual([]);
});
