import { expect, it } from 'vitest';
import type { FreezeOptions, ScheduleOptions } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const hourly = (options: Partial<ScheduleOptions> = {}) =>
  someSchedule({ scheduleId: 'hourly', policies: { overlap: 'ALLOW_ALL' }, ...options });

const freezeOf = (options: Partial<FreezeOptions>) =>
  ledger().client.freezes.create({ scheduleIds: ['hourly'], to: new Date('2026-03-01T05:00:00Z'), ...options });

const claimAt = (...clocks: string[]) => ledger().claimAt(...clocks);

it('a deploy within a freeze loses nothing that is to be caught up, and starts nothing of it', async () => {
  const { client } = ledger();
  const handle = await client.create(hourly());
  await freezeOf({ catchUp: 'ALL' });
  await claimAt('01:00:00');
  ledger().clock.set('2026-03-01T02:30:00Z');
  await handle.update((previous) => ({ ...previous, spec: { cron: '15 * * * *' } }));
  const passes = await claimAt('02:30:01', '03:30:00');
  await passes.dispatch();
  const waiting = ['03-01T01:00:00 catchup buffered', '03-01T02:00:00 catchup buffered'];
  expect(await ledger().answers('hourly')).toEqual(waiting);
  await claimAt('05:00:00');
  expect(await ledger().answers('hourly')).toEqual([
    '03-01T01:00:00 catchup claimed',
    '03-01T02:00:00 catchup claimed',
    '03-01T03:15:00 catchup claimed',
    '03-01T04:15:00 catchup claimed',
  ]);
});

it.each([
  ['has later ones', '15 * * * *', ['03-01T02:00:00 catchup skipped superseded', '03-01T04:15:00 catchup claimed']],
  ['has none in the freeze', '0 12 * * *', ['03-01T02:00:00 catchup claimed']],
])(
  'of what a freeze held, only the last fires under LAST, however often it was updated: the new definition %s',
  async (_, cron, answers) => {
    const handle = await ledger().client.create(hourly());
    await freezeOf({ catchUp: 'LAST' });
    await claimAt('01:00:00');
    ledger().clock.set('2026-03-01T01:20:00Z');
    await handle.update((previous) => ({ ...previous, spec: { cron: '0,30 * * * *' } }));
    ledger().clock.set('2026-03-01T02:10:00Z');
    await handle.update((previous) => ({ ...previous, spec: { cron } }));
    expect((await ledger().answers('hourly')).filter((answer) => !answer.includes('gap'))).toEqual([
      '03-01T01:00:00 catchup skipped superseded',
      '03-01T02:00:00 catchup buffered',
    ]);
    await claimAt('02:30:00', '05:00:00');
    expect((await ledger().answers('hourly')).filter((answer) => !answer.includes('gap'))).toEqual([
      '03-01T01:00:00 catchup skipped superseded',
      ...answers,
    ]);
  },
);
