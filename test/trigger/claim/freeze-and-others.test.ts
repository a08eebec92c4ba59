import { expect, it } from 'vitest';
import type { FreezeOptions, SchedulePolicies } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);

async function hourly(policies: SchedulePolicies) {
  const { scheduleId } = await ledger().client.create(someSchedule({ policies }));
  const freeze = (options: Omit<FreezeOptions, 'scheduleIds'>) =>
    ledger().client.freezes.create({ scheduleIds: [scheduleId], ...options });
  return { handle: ledger().client.getHandle(scheduleId), freeze, answers: () => ledger().answers(scheduleId) };
}

const claimAt = (...clocks: string[]) => ledger().claimAt(...clocks);

it.each(['LAST', 'ALL'] as const)(
  'what a freeze lets fire at its end does not expire while it waits for its start: %s',
  async (catchUp) => {
    const { freeze, answers } = await hourly({ overlap: 'ALLOW_ALL', catchupWindow: '10 minutes' });
    await freeze({ from: time('02:30:00'), to: time('04:30:00'), catchUp });
    const passes = await claimAt('01:00:00', '02:00:00');
    await ledger().query(
      `update escapement.firings set state = 'closed', outcome = 'completed', closed_at = claimed_at`,
    );
    await claimAt('04:30:00');
    ledger().clock.set('2026-03-01T04:39:00Z');
    await passes.dispatch();
    expect((await answers()).slice(2)).toEqual([
      catchUp === 'ALL' ? '03-01T03:00:00 catchup linked' : '03-01T03:00:00..03-01T03:00:00 gap 1 frozen',
      '03-01T04:00:00 catchup linked',
    ]);
  },
);

it('of what a freeze has held the last one fires that is not excluded', async () => {
  const { handle, freeze, answers } = await hourly({ overlap: 'ALLOW_ALL' });
  await freeze({ to: time('04:30:00'), catchUp: 'LAST' });
  await handle.exclude(time('04:00:00'));
  await claimAt('01:00:00', '04:30:00');
  expect(await answers()).toEqual([
    '03-01T01:00:00..03-01T02:00:00 gap 2 frozen',
    '03-01T03:00:00 catchup claimed',
    '03-01T04:00:00 schedule skipped excluded',
  ]);
});

it('after an update within the freeze, too, the last one fires that is not excluded', async () => {
  const { handle, freeze, answers } = await hourly({ overlap: 'ALLOW_ALL' });
  await freeze({ to: time('04:30:00'), catchUp: 'LAST' });
  await handle.exclude(time('02:00:00'));
  ledger().clock.set('2026-03-01T02:30:00Z');
  await handle.update((previous) => ({ ...previous, spec: { cron: '0 12 * * *' } }));
  await claimAt('04:30:00');
  expect(await answers()).toEqual(['03-01T01:00:00 catchup claimed', '03-01T02:00:00 schedule skipped excluded']);
});

it('an excluded occurrence does not count as one of those that the catch-up limit lets fire', async () => {
  const { handle, answers } = await hourly({ overlap: 'ALLOW_ALL', catchupLimit: 2 });
  await handle.exclude(time('03:00:00'));
  await handle.exclude(time('05:00:00'));
  await claimAt('05:00:05');
  expect(await answers()).toEqual([
    '03-01T01:00:00..03-01T01:00:00 gap 1 over_catchup_limit',
    '03-01T02:00:00 catchup claimed',
    '03-01T03:00:00 schedule skipped excluded',
    '03-01T04:00:00 catchup claimed',
    '03-01T05:00:00 schedule skipped excluded',
  ]);
});

it.each<[SchedulePolicies['overlap'], string]>([
  ['BUFFER_ALL', '03-01T03:00:00 catchup buffered'],
  ['BUFFER_ONE', '03-01T03:00:00 catchup skipped overlap_waiting'],
])('what waits when a freeze begins is not overtaken by a later occurrence: %s', async (overlap, later) => {
  const { freeze, answers } = await hourly({ overlap });
  await claimAt('01:00:00', '02:00:00');
  await freeze({ from: time('03:30:00'), to: time('12:00:00') });
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'completed', closed_at = claimed_at where state = 'claimed'`,
  );
  await claimAt('03:40:00');
  expect(await answers()).toEqual([
    '03-01T01:00:00 schedule closed completed',
    '03-01T02:00:00 schedule buffered',
    later,
  ]);
  await claimAt('12:00:00');
  expect((await answers())[1]).toBe('03-01T02:00:00 schedule claimed');
});

it('what a person lets start during a freeze does, though more wait for the end of it than a claim reads', async () => {
  const { handle, freeze, answers } = await hourly({ overlap: 'BUFFER_ALL' });
  await claimAt('01:00:00', '02:00:00', '03:00:00', '04:00:00', '05:00:00');
  await freeze({ from: time('05:30:00'), to: time('12:00:00') });
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'completed', closed_at = claimed_at where state = 'claimed'`,
  );
  await ledger().query(`delete from escapement.firings where scheduled_time = '2026-03-01T04:00:00Z'`);
  ledger().clock.set('2026-03-01T05:40:00Z');
  await handle.backfill({ start: time('04:00:00'), end: time('04:00:00'), duringFreeze: true });
  const { passes } = await ledger().trigger({ limits: { firingsPerScheduleAndPass: 2 } });
  await passes.claim();
  expect(await answers()).toEqual([
    '03-01T01:00:00 schedule closed completed',
    '03-01T02:00:00 schedule buffered',
    '03-01T03:00:00 schedule buffered',
    '03-01T04:00:00 backfill claimed',
    '03-01T05:00:00 schedule buffered',
  ]);
});

it('a schedule whose last occurrence is held back is not completed before that occurrence has fired', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ spec: { at: [new Date('2026-03-01T02:00:00Z')] } }));
  await client.freezes.create({ all: true, to: new Date('2026-03-01T05:00:00Z'), catchUp: 'ALL' });
  const { passes } = await ledger().trigger();
  const completed = async () => {
    const listed = [];
    for await (const { scheduleId } of client.list({ completed: true })) listed.push(scheduleId);
    expect(listed.includes(handle.scheduleId)).toBe((await handle.describe()).state.completed === true);
    return listed.length > 0;
  };
  clock.set('2026-03-01T03:00:00Z');
  await passes.claim();
  expect(await ledger().query('select next_fire_at, completed_at from escapement.timers')).toEqual([
    { next_fire_at: null, completed_at: null },
  ]);
  expect(await completed()).toBe(false);
  clock.set('2026-03-01T05:00:00Z');
  await passes.claim();
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T02:00:00 catchup claimed']);
  expect(await completed()).toBe(true);
});
