import { describe, expect, inject, it, vi } from 'vitest';
import type { SchedulePolicies } from '../../../index';
import { Trigger } from '../../../trigger';
import { DatabaseClock } from '../../../trigger/clock';
import { type TestLedger, uniqueName } from '../../support/ledger';
import { ManualClock } from '../../support/ledger-clock';
import { MemoryLogger } from '../../support/logger';
import { adoptAll, copyOf, DUE, fireAt, on, runsOf, swap, undo, useFailover } from './failed-over';

const { original, schedule, listed } = useFailover();

const restoreInPlace = (ledger: TestLedger) =>
  ledger.query(`begin; create table escapement.again (like escapement.meta including all);
    insert into escapement.again select * from escapement.meta;
    drop table escapement.meta cascade; alter table escapement.again rename to meta; commit`);

describe('a database that is not the one that it was', () => {
  /** Whether a trigger's next heartbeat takes it for the same one. */
  async function isSame(change: (ledger: TestLedger) => Promise<unknown>): Promise<boolean> {
    return on(original(), async (ledger) => {
      const trigger = await ledger.trigger();
      await ledger.client.create(schedule('echoFiring'));
      await change(ledger);
      await trigger.passes.heartbeat();
      return !ledger.log.messages().includes('the database was replaced: a failover?');
    });
  }

  it('is noticed though a backup was restored in its place, on the same timeline', async () => {
    expect(await isSame(async () => {})).toBe(true);
    expect(await isSame(restoreInPlace)).toBe(false);
  });

  it('keeps the last heartbeat from before, which shows what the backup lacks', async () => {
    await on(original(), async (ledger) => {
      const trigger = await ledger.trigger();
      await trigger.passes.heartbeat();
      await restoreInPlace(ledger);
      ledger.clock.advance(7_200_000);
      await trigger.passes.heartbeat();
      expect(await ledger.query(`select value from escapement.meta where key = 'last_claim_at'`)).toEqual([
        { value: expect.stringContaining('2020-03-01T00:30:00') },
      ]);
    });
  });

  it('is noticed though another server gave it the same OID and timeline', async () => {
    const server = (ledger: TestLedger) =>
      ledger.query<{ system: string; noticed: string }>(
        `select system_identifier::text as system, value ->> 'systemIdentifier' as noticed
         from pg_control_system(), escapement.meta where key = 'incarnation'`,
      );
    const elsewhere = async (ledger: TestLedger) => {
      const [row] = await server(ledger);
      expect(row!.noticed).toBe(row!.system);
      await ledger.query(
        `update escapement.meta set value = value || '{"systemIdentifier": "7"}' where key = 'incarnation'`,
      );
    };
    expect(await isSame(elsewhere)).toBe(false);
  });

  it('is noticed where a person says so, since a disk that was put back shows nothing', async () => {
    const told = (ledger: TestLedger) =>
      ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    expect(await isSame(told)).toBe(false);
  });

  it('is not what a role takes it for that may ask less', async () => {
    await on(original(), async (ledger) => {
      const role = uniqueName('role').replaceAll('-', '_');
      const ask = 'select escapement.incarnation() as incarnation';
      const [asOwner] = await ledger.query(ask);
      await ledger.query(`create role ${role}; grant usage on schema escapement to ${role};
        revoke execute on function pg_control_system(), pg_current_wal_lsn() from public`);
      try {
        await ledger.query(`set role ${role}`);
        await expect(ledger.query('select pg_control_system()')).rejects.toMatchObject({ code: '42501' });
        expect(await ledger.query(ask)).toEqual([asOwner]);
      } finally {
        await ledger.query(`reset role; drop owned by ${role}; drop role ${role}`);
      }
    });
  });
});

it('what was known of a schedule is forgotten: the same version may be another one by now', async () => {
  await on(original(), async (ledger) => {
    const { scheduleId } = await ledger.client.create(schedule('echoFiring', { policies: { overlap: 'ALLOW_ALL' } }));
    const trigger = await fireAt(ledger, DUE);
    // The standby had not received the version, and somebody has written another one since.
    await ledger.query(`update escapement.schedule_versions set spec = '{"cron": "30 * * * *"}'`);
    await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    await trigger.passes.heartbeat();
    await adoptAll(ledger, trigger);
    ledger.clock.set('2020-03-01T01:30:00Z');
    await ledger.query(`update escapement.timers set wake_at = '2020-03-01T01:30Z', seq = seq + 1`);
    await trigger.passes.claim();
    expect((await ledger.answers(scheduleId))[1]).toBe('03-01T01:30:00 schedule claimed');
  });
});

describe('a trigger that runs', () => {
  /** A trigger of the database, a schedule whose firing of 01:00 is linked there, and a copy of the database. */
  async function onOriginal(policies: SchedulePolicies) {
    const scheduleId = await on(original(), async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring', { policies }));
      await fireAt(ledger, DUE);
      return handle.scheduleId;
    });
    const copy = await copyOf(original());
    const [clock, logger] = [new ManualClock(DUE), new MemoryLogger()];
    const connection = { address: inject('temporalAddress') };
    const trigger = await Trigger.createTuned({ connectionString: original(), connection, clock, logger });
    await trigger.passes.heartbeat();
    return { scheduleId, copy, clock, logger, trigger };
  }

  it('writes nothing to another database at its address before it has noticed it', async () => {
    const { scheduleId, copy, clock, logger, trigger } = await onOriginal({ overlap: 'ALLOW_ALL', catchupLimit: 1 });
    const { passes } = trigger;
    await swap(original(), copy);
    undo.push(() => swap(original(), copy));
    undo.push(() => trigger.close());

    clock.set('2020-03-01T04:00:00Z');
    const claimed = () =>
      passes.claim().then(
        () => 'claimed',
        ({ message }: Error) => message,
      );
    // The first calls may meet connections that the old one has closed.
    await expect.poll(claimed).toContain('it is {');
    const answers = () => on(original(), (ledger) => ledger.answers(scheduleId));
    expect(await answers()).toEqual(['03-01T01:00:00 schedule linked']);
    await passes.heartbeat();
    expect(logger.messages()).toContain('the database was replaced: a failover?');
    expect(await passes.claim()).toMatchObject({ due: 0, complete: false });
    expect(await answers()).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('adopts what it has started on a standby, when its address leads to the former primary again', async () => {
    const { scheduleId, copy, clock, logger, trigger } = await onOriginal({ overlap: 'ALLOW_ALL' });
    const { passes } = trigger;
    undo.push(() => trigger.close());
    const lead = async () => {
      await swap(original(), copy);
      // The first calls may meet connections that the other database has closed.
      const noticed = () => logger.messages().filter((message) => message.startsWith('the database was replaced'));
      const before = noticed().length;
      const heartbeat = () =>
        passes.heartbeat().then(
          () => noticed().length,
          () => before,
        );
      await expect.poll(heartbeat).toBe(before + 1);
    };
    const adoptWhole = async () => {
      while (!(await passes.adopt()).complete) clock.advance(2_000);
      clock.advance(1_000);
      await passes.heartbeat();
    };
    // Nothing can be started in a database that is left before it is adopted.
    await lead();
    await lead();
    expect(await passes.claim()).toMatchObject({ complete: true });
    await lead();
    await adoptWhole();
    clock.set('2020-03-01T02:00:00Z');
    await passes.claim();
    expect(await passes.dispatch()).toMatchObject({ linked: 1 });
    await passes.heartbeat();
    await listed(scheduleId, 2);
    await lead();
    clock.set('2020-03-01T02:00:30Z');
    expect(await passes.claim()).toMatchObject({ due: 0, complete: false });
    await adoptWhole();
    expect(await on(original(), (ledger) => ledger.answers(scheduleId))).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule linked',
    ]);
  });

  it('notices a failover with a heartbeat, and adopts by itself', async () => {
    await on(original(), async (ledger) => {
      // By the trigger's clock, by which the month of a firing from before would be retired.
      const client = ledger.newClient({ now: undefined });
      // By the real clock its hour may come at any time.
      const handle = await client.create({ ...schedule('echoFiring'), state: { paused: true } });
      const { scheduleId } = handle;
      const trigger = await ledger.trigger({ clock: new DatabaseClock() });
      const running = trigger.run();
      try {
        await handle.trigger();
        const linked = await vi.waitFor(async () => {
          const runs = await runsOf(ledger, scheduleId);
          expect(runs).toHaveLength(1);
          return runs;
        }, 60_000);
        // Else it would be found by the second poll only, a minute later.
        await listed(scheduleId, 1);
        // What an asynchronous standby had not received yet, and the timeline that its promotion began.
        await ledger.query(`delete from escapement.firings`);
        await ledger.query(
          `update escapement.meta set value = value || '{"timeline": "00000000"}' where key = 'incarnation'`,
        );
        await vi.waitFor(async () => expect(await runsOf(ledger, scheduleId)).toEqual(linked), 60_000);
        await vi.waitFor(async () => {
          const [row] = await ledger.query(`select value ->> 'timeline' as timeline from escapement.meta
            where key = 'incarnation'`);
          expect(row!.timeline).not.toBe('00000000');
        }, 60_000);
        expect(ledger.log.messages()).toContain('the database was replaced: a failover?');
      } finally {
        trigger.shutdown();
        await running;
      }
    });
  });
});
