import { Client } from 'pg';
import { expect, it } from 'vitest';
import type { FreezeOptions, ScheduleOptions } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);
const hourly = (options: Partial<ScheduleOptions> = {}) =>
  someSchedule({ scheduleId: 'hourly', policies: { overlap: 'ALLOW_ALL' }, ...options });

const freezeOf = (options: Partial<FreezeOptions> = {}) =>
  ledger().client.freezes.create({ scheduleIds: ['hourly'], to: time('05:00:00'), ...options });

const claimAt = (...clocks: string[]) => ledger().claimAt(...clocks);

it('one that is ended before its time wakes what sleeps for it, also what a claim under way has just put to sleep', async () => {
  const { client } = ledger();
  await client.create(hourly());
  await client.create(hourly({ scheduleId: 'late' }));
  const { freeze } = await freezeOf({ scheduleIds: ['hourly', 'late'], catchUp: 'LAST' });
  await claimAt('01:00:00');
  ledger().clock.set('2026-03-01T02:30:00Z');
  await client.freezes.end(freeze.freezeId!);
  // As a claim does that has read the freeze just before.
  await ledger().query(`update escapement.timers set wake_at = '2026-03-01T05:00Z' where schedule_id = 'late'`);
  const passes = await claimAt('02:30:01');
  expect(await ledger().answers('hourly')).toEqual([
    '03-01T01:00:00 gap 1 frozen'.replace('03-01T01:00:00', '03-01T01:00:00..03-01T01:00:00'),
    '03-01T02:00:00 catchup claimed',
  ]);
  expect(await ledger().answers('late')).toEqual([]);
  await passes.sweep();
  await passes.claim();
  expect(await ledger().answers('late')).toHaveLength(2);
});

const timers = () => ledger().query('select schedule_id, seq, wake_at from escapement.timers order by schedule_id');

it('one that is ended before its time does not wake, sweep after sweep, what is due at its planned end anyway', async () => {
  await ledger().client.create(hourly());
  const { freeze } = await freezeOf({ to: time('02:00:00') });
  await claimAt('01:00:00');
  await ledger().client.freezes.end(freeze.freezeId!);
  const passes = await claimAt('01:11:00');
  const planned = await timers();
  await passes.sweep();
  expect(await timers()).toEqual(planned);
});

it('one that is ended before its time wakes what a cut-over had answered beyond that end', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'hourly', spec: { cron: '0 3 * * *' } }));
  const { freeze } = await freezeOf();
  await ledger().query(
    `update escapement.timers set answered_to = '2026-03-01T02:59:59.999Z', wake_at = '2026-03-01T01:00Z'`,
  );
  await claimAt('01:00:00');
  await ledger().client.freezes.end(freeze.freezeId!);
  await claimAt('01:00:01', '03:00:00');
  expect(await ledger().answers('hourly')).toEqual(['03-01T03:00:00 schedule claimed']);
});

it('one that is ended before its time wakes what stayed locked for hours', async () => {
  await ledger().client.create(hourly({ spec: { cron: '0 */6 * * *' } }));
  const { freeze } = await freezeOf({ from: time('05:00:00'), to: new Date('2026-03-02T00:00Z') });
  await claimAt('05:30:00', '06:00:00');
  const holder = new Client({ connectionString: ledger().databaseUrl });
  await holder.connect();
  await holder.query('begin; select from escapement.timers for update');
  await ledger().client.freezes.end(freeze.freezeId!);
  const passes = await claimAt('09:00:00');
  await passes.sweep();
  await holder.end();
  await passes.sweep();
  await passes.claim();
  expect(await ledger().answers('hourly')).toEqual(['03-01T06:00:00 catchup claimed']);
});

it('one that is ended before its time does not wake what another of its scope holds until the same time', async () => {
  await ledger().client.create(hourly());
  const { freeze } = await freezeOf();
  await freezeOf({ catchUp: 'LAST' });
  const passes = await claimAt('01:00:00');
  const asleep = await timers();
  await ledger().client.freezes.end(freeze.freezeId!);
  await passes.sweep();
  expect(await timers()).toEqual(asleep);
  await claimAt('05:00:00');
  expect(await ledger().answers('hourly')).toContain('03-01T04:00:00 catchup claimed');
});
