import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../store/connection';
import { ensurePartitions } from '../../../store/firings/partitions';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-01-15T00:30:00Z');
const DAY = 86_400_000;

/** Names of the tables of firings: attached months and archived ones. */
async function months(): Promise<{ attached: string[]; archived: string[] }> {
  const rows = await ledger().query<{ name: string; attached: boolean }>(
    `select relname as name, relispartition as attached from pg_class
     where relnamespace = 'escapement'::regnamespace and relkind = 'r' and relname ~ 'firings_\\d' order by 1`,
  );
  const named = (attached: boolean) => rows.filter((row) => row.attached === attached).map((row) => row.name);
  return { attached: named(true), archived: named(false) };
}

/** Write a firing as if it had finished. */
async function insertFiring(scheduleId: string, scheduledTime: string, state = 'skipped'): Promise<void> {
  await ledger().query(`select escapement.ensure_partition($1::timestamptz)`, [scheduledTime]);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at)
     values ($1, $2, $3, case when $3 = 'closed' then 'completed' end, 'schedule', 'default', 1, $2)`,
    [scheduleId, scheduledTime, state],
  );
}

async function insertLetter(scheduledTime: string, state: string): Promise<void> {
  await ledger().query(
    `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
       created_at, updated_at) values (gen_random_uuid(), 'one', $1, 0, 'workflow', $2, 'failed', 'default', $1, $1)`,
    [scheduledTime, state],
  );
}

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

  it('deletes the gaps that ended, and were written, before the months that are left', async () => {
    await insertFiring('one', '2025-11-03T00:00:00Z');
    const gaps = (rows: string) =>
      ledger().query(
        `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at) ${rows}`,
      );
    // More than one statement takes.
    await gaps(`select 'old', '2025-11-01Z'::timestamptz + n * interval '1 second', '2025-11-30T23:59Z', 1, 'paused',
      '2025-11-30T23:59:59Z' from generate_series(1, 1500) n`);
    await gaps(`values ('reaches over', '2025-11-01Z'::timestamptz, '2025-12-01Z'::timestamptz, 2, 'paused', '2025-11-15Z'::timestamptz),
      ('written late', '2025-11-01Z', '2025-11-02Z', 2, 'paused', '2025-12-01Z')`);
    const left = async () =>
      (await ledger().query('select distinct schedule_id from escapement.gaps order by 1')).map(
        (row) => row.schedule_id,
      );
    const trigger = await ledger().trigger();
    await trigger.passes.sweep();
    expect(await left()).toEqual(['old', 'reaches over', 'written late']);

    ledger().clock.set(new Date(Date.parse('2025-12-01T00:00:00Z') + 90 * DAY).toISOString());
    await trigger.passes.sweep();
    expect(await left()).toEqual(['reaches over', 'written late']);
  });

  it('finds old gaps by an index among a hundred thousand that stay', async () => {
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2025-01-01T00:00:00Z"')`);
    await ledger().query(`insert into escapement.gaps select 's' || n, '2025-12-01Z', '2025-12-01Z', 1, 'paused',
      '2025-12-01Z'::timestamptz + n * interval '1 second' from generate_series(1, 100000) n`);
    await ledger().query('analyze escapement.gaps');
    const statements: [string, unknown[]][] = [];
    const pool = watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) });
    await (await ledger().trigger({ pool })).passes.sweep();
    const [text, values] = statements.find(([statement]) => statement.includes('delete from "escapement"."gaps"'))!;
    const plan = JSON.stringify(await ledger().query(`explain (format json) ${text}`, values));
    expect(plan).toContain('gaps_recorded');
    // The handful of schedules may be read whole.
    expect(plan).not.toMatch(/"Seq Scan"[^{}]*"Relation Name":"gaps"/);
  });

  it('keeps all gaps where firings are kept for ever, though months were retired before', async () => {
    await ledger().query(`insert into escapement.meta values ('retention_floor', '"2026-01-01T00:00:00Z"')`);
    await ledger().query(
      `insert into escapement.gaps values ('old', '2025-11-01Z', '2025-11-01Z', 1, 'paused', '2025-11-01Z')`,
    );
    ledger().clock.set('2027-01-01T00:00:00Z');
    await ledger().client.settings.set({ retention: Number.POSITIVE_INFINITY });
    const { passes } = await ledger().trigger();
    await passes.sweep();
    expect(await ledger().query('select schedule_id from escapement.gaps')).toEqual([{ schedule_id: 'old' }]);
    await ledger().client.settings.set({ retention: '90 days' });
    await passes.heartbeat();
    await passes.sweep();
    expect(await ledger().query('select schedule_id from escapement.gaps')).toEqual([]);
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
