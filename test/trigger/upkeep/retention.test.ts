import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../store/connection';
import { ensurePartitions } from '../../../store/firings/partitions';
import { joinTransaction } from '../../../store/join';
import { someSchedule } from '../../support/ledger';
import { DAY, useMonths } from './months';

const { ledger, months, insertFiring, insertLetter } = useMonths();

describe('retention', () => {
  it('retires the months that are past it, refuses their firings from then on, and keeps their history', async () => {
    await insertFiring('one', '2025-11-03T00:00:00Z', 'closed');
    await insertFiring('one', '2025-12-03T00:00:00Z', 'abandoned');
    const trigger = await ledger().trigger();
    await trigger.passes.sweep();
    expect((await months()).archived).toEqual([]);

    // November ended 90 days before this very instant.
    ledger().clock.set(new Date(Date.parse('2025-12-01T00:00:00Z') + 90 * DAY).toISOString());
    await trigger.passes.sweep();
    await trigger.passes.sweep();
    const { attached, archived } = await months();
    expect(archived).toEqual(['archived_firings_202511']);
    expect(attached).toContain('firings_202512');
    expect(await ledger().query('select schedule_id, state from escapement.archived_firings_202511')).toEqual([
      { schedule_id: 'one', state: 'closed' },
    ]);
    await expect(insertFiring('two', '2025-11-30T23:59:59Z')).rejects.toMatchObject({ code: 'ES001' });
    await insertFiring('two', '2025-12-01T00:00:00Z');
  });

  it.each(['buffered', 'claimed', 'linked'])(
    'never detaches a month with a %s firing, nor one after it',
    async (state) => {
      await insertFiring('one', '2025-10-03T00:00:00Z', state);
      await insertFiring('one', '2025-11-03T00:00:00Z');
      const trigger = await ledger().trigger();
      ledger().clock.set('2026-12-01T00:00:00Z');
      await trigger.passes.sweep();
      expect((await months()).archived).toEqual([]);

      await ledger().query(
        `update escapement.firings set state = 'closed', outcome = 'completed' where scheduled_time = '2025-10-03T00:00:00Z'`,
      );
      await trigger.passes.sweep();
      expect((await months()).archived).toEqual(
        expect.arrayContaining(['archived_firings_202510', 'archived_firings_202511']),
      );
    },
  );

  it.each(['open', 'redriving'])('keeps a month that a dead letter which is %s belongs to', async (state) => {
    await insertFiring('one', '2025-10-03T00:00:00Z', 'abandoned');
    await insertLetter('2025-10-03T00:00:00Z', state);
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T00:00:00Z');
    await trigger.passes.sweep();
    expect((await months()).archived).toEqual([]);

    await ledger().query(`update escapement.dead_letters set state = 'discarded'`);
    await trigger.passes.sweep();
    expect((await months()).archived).toEqual(['archived_firings_202510']);
  });

  it('says at warn, once a day, which letter keeps how many months', async () => {
    await insertFiring('one', '2025-10-03T00:00:00Z', 'abandoned');
    await insertFiring('one', '2025-11-03T00:00:00Z', 'abandoned');
    await insertLetter('2025-10-03T00:00:00Z', 'open');
    const [{ letter_id: letterId }] = (await ledger().query('select letter_id from escapement.dead_letters')) as [
      { letter_id: string },
    ];
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T00:00:00Z');
    const said = () => ledger().log.lines.filter(({ level }) => level === 'warn');
    await trigger.passes.sweep();
    await trigger.passes.sweep();
    expect(said()).toEqual([
      {
        level: 'warn',
        message: expect.stringContaining('a dead letter is open'),
        meta: {
          month: '2025-10',
          months: 2,
          letterId,
          scheduleId: 'one',
          scheduledTime: '2025-10-03T00:00:00.000Z',
          open: 1,
        },
      },
    ]);
    ledger().clock.advance(DAY);
    await trigger.passes.sweep();
    expect(said()).toHaveLength(2);
  });

  it('answers catch-up that reaches into a retired month by a gap, and fires the rest', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(
      someSchedule({
        spec: { cron: '0 0 * * *' },
        policies: { overlap: 'ALLOW_ALL', catchupLimit: Number.POSITIVE_INFINITY },
      }),
    );
    const [sleeper, sweeper] = [await ledger().trigger(), await ledger().trigger()];
    await sweeper.passes.sweep();
    clock.set('2026-05-20T12:00:00Z');
    // Another trigger retires January while this one does not know the new floor yet.
    await sweeper.passes.sweep();
    expect((await months()).archived).toEqual(['archived_firings_202601']);
    const { claimed } = await sleeper.passes.claim();
    expect(claimed).toHaveLength(28 + 31 + 30 + 20);
    expect(await ledger().query('select from_time, to_time, count, reason from escapement.gaps')).toEqual([
      {
        from_time: new Date('2026-01-16T00:00:00Z'),
        to_time: new Date('2026-01-31T00:00:00Z'),
        count: '16',
        reason: 'outside_retention',
      },
    ]);
    expect((await ledger().answers(handle.scheduleId))[1]).toBe('02-01T00:00:00 catchup claimed');
    expect((await sleeper.passes.claim()).due).toBe(0);
  });

  it('a month that a failover has lost is made again by the claim after the one that missed it', async () => {
    await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-01-15T01:00:00Z');
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    await ledger().query('drop table escapement.firings_202601');
    ledger().clock.set('2026-01-15T02:00:00Z');
    await expect(trigger.passes.claim()).rejects.toThrow('no partition');
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
  });

  it('of two triggers side by side retires each month once', async () => {
    for (const month of ['07', '08', '09', '10']) await insertFiring('one', `2025-${month}-03T00:00:00Z`);
    const triggers = await Promise.all([1, 2, 3].map(() => ledger().trigger()));
    ledger().clock.set('2026-03-15T00:00:00Z');
    await Promise.all(triggers.map((trigger) => trigger.passes.sweep()));
    // The trigger that lost the race has given up, and the next sweep does the rest.
    await triggers[0]!.passes.sweep();
    expect((await months()).archived).toEqual(['07', '08', '09', '10'].map((month) => `archived_firings_2025${month}`));
    expect(await ledger().query(`select value from escapement.meta where key = 'retention_floor'`)).toEqual([
      { value: '2025-11-01T00:00:00+00:00' },
    ]);
  });

  it('gives up quietly behind a reader, and does not queue claims behind itself', async () => {
    await insertFiring('one', '2025-10-03T00:00:00Z');
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-15T00:00:00Z');
    const reader = new Client({ connectionString: ledger().databaseUrl });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select from escapement.firings');
      let swept = false;
      const sweeping = trigger.passes.sweep().then(() => {
        swept = true;
      });
      // Written while the sweep waits, it waits behind it.
      await vi.waitFor(async () => {
        const waiting = await ledger().query(`select from pg_locks where not granted and mode = 'AccessExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())`);
        expect(swept || waiting.length > 0).toBe(true);
      }, 60_000);
      await ledger().query(`set lock_timeout = '10s'`);
      await insertFiring('one', '2026-03-15T00:00:00Z');
      await sweeping;
      expect((await months()).archived).toEqual([]);
      expect(ledger().log.lines.filter((line) => line.message === 'month not retired yet')).toMatchObject([
        { level: 'debug', meta: { month: '2025-10', because: 'locked' } },
      ]);
      await reader.query('rollback');
    } finally {
      await reader.end();
    }
    await trigger.passes.sweep();
    expect((await months()).archived).toEqual(['archived_firings_202510']);
  });

  it('makes a retired month again where that is allowed, and retires it again beside the first', async () => {
    const store = openStore({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => store.close());
    await insertFiring('one', '2025-10-03T00:00:00Z');
    await insertFiring('one', '2025-11-03T00:00:00Z');
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-15T00:00:00Z');
    await trigger.passes.sweep();
    const october = new Date('2025-10-20T00:00:00Z');
    await expect(ensurePartitions(store, [october])).rejects.toMatchObject({ code: 'ES001' });
    await ensurePartitions(store, [october], { allowRetired: true });
    await insertFiring('one', '2025-10-03T00:00:00Z');
    await trigger.passes.sweep();
    expect((await months()).archived).toEqual([
      'archived_firings_202510',
      'archived_firings_202510_2',
      'archived_firings_202511',
    ]);
    // The floor does not go back for it.
    expect(await ledger().query(`select value from escapement.meta where key = 'retention_floor'`)).toEqual([
      { value: '2025-12-01T00:00:00+00:00' },
    ]);
    // For a caller's transaction, another connection makes it.
    await ledger().query('begin');
    await joinTransaction(store, ledger().sql, (joined) => ensurePartitions(joined, [october], { allowRetired: true }));
    await ledger().query('commit');
    expect((await months()).attached).toContain('firings_202510');
  });

  it('takes a firing of any month at any time, until that month is retired', async () => {
    for (const instant of ['1970-01-01T00:00:00Z', '2100-12-31T23:59:59Z']) await insertFiring('one', instant);
    const trigger = await ledger().trigger();
    await trigger.passes.sweep();
    const { attached, archived } = await months();
    expect(attached).toContain('firings_210012');
    expect(archived).toEqual(['archived_firings_197001']);
    await insertFiring('one', '1970-02-01T00:00:00Z');
    await expect(insertFiring('one', '1970-01-02T00:00:00Z')).rejects.toMatchObject({ code: 'ES001' });
  });

  it('is never where it is set to infinity', async () => {
    await insertFiring('one', '1970-01-01T00:00:00Z');
    await ledger().client.settings.set({ retention: Number.POSITIVE_INFINITY });
    const trigger = await ledger().trigger();
    await trigger.passes.sweep();
    expect((await months()).archived).toEqual([]);
  });
});
