import { describe, expect, it } from 'vitest';
import { RetiredMonthError, ScheduleAlreadyRunning } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const range = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) });

describe('create', () => {
  it('fires at once and backfills where it is asked to', async () => {
    const { client } = ledger();
    const backfill = [range('2026-02-28T22:00:00Z', '2026-03-01T00:00:00Z')];
    const handle = await client.create(
      someSchedule({ state: { triggerImmediately: true, backfill, remainingActions: 9 } }),
    );
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '02-28T22:00:00 backfill buffered',
      '02-28T23:00:00 backfill buffered',
      '03-01T00:00:00 backfill buffered',
      '03-01T00:30:00.001 manual buffered',
    ]);
    expect((await handle.describe()).state.remainingActions).toBe(9);
  });

  it('refuses a backfill that it could not do, before it creates anything', async () => {
    const backfill = [range('2027-02-28T22:00:00Z', '2027-03-01T00:00:00Z')];
    const attempt = ledger().client.create(someSchedule({ state: { backfill } }));
    await expect(attempt).rejects.toMatchObject({ path: 'state.backfill[0].start' });
    expect(await ledger().query('select from escapement.schedules')).toEqual([]);
  });

  it('refuses one of months whose record was retired, before it creates anything', async () => {
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-02-01T00:00:00Z"')`);
    const state = { backfill: [range('2026-01-31T00:00:00Z', '2026-02-02T00:00:00Z')], triggerImmediately: true };
    const options = someSchedule({ spec: { cron: '0 0 * * *' } });
    await expect(ledger().client.create({ ...options, state })).rejects.toBeInstanceOf(RetiredMonthError);
    expect(await ledger().query('select from escapement.schedules')).toEqual([]);
    await ledger().client.create({
      ...options,
      state: { backfill: [range('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z')] },
    });
    expect(await ledger().query('select from escapement.firings')).toHaveLength(2);
    await expect(ledger().client.create({ ...options, state })).rejects.toThrow(ScheduleAlreadyRunning);
  });
});

describe('trigger', () => {
  it('takes an overlap policy of its own, alone or among options, and refuses unknown ones', async () => {
    const handle = await ledger().client.create(someSchedule());
    await handle.trigger('BUFFER_ALL');
    await handle.trigger({ overlap: 'TERMINATE_OTHER' });
    await handle.trigger({});
    expect(await ledger().query('select overlap from escapement.firings order by scheduled_time')).toEqual([
      { overlap: 'BUFFER_ALL' },
      { overlap: 'TERMINATE_OTHER' },
      { overlap: 'ALLOW_ALL' },
    ]);
    await expect(handle.trigger('SKIPP' as 'SKIP')).rejects.toMatchObject({ path: 'overlap' });
    await expect(handle.trigger({ overlap: 'all' as 'SKIP' })).rejects.toMatchObject({ path: 'overlap' });
  });
});
