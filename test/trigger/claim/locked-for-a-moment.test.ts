import { Client } from 'pg';
import { expect, inject, it, vi } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

/** Long intervals, so that nothing happens merely because an interval is over. */
const HOUR = 3_600_000;
const NEVER = { claimIntervalMilliseconds: HOUR, observeIntervalMilliseconds: HOUR };

/**
 * A running trigger, and another transaction that holds the lock of a schedule until the trigger has tried to claim it.
 */
async function claimsBehind(scheduleId: string) {
  const { clock, log, databaseUrl } = ledger();
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  ledger().beforeClose(() => holder.end());
  let isHeld = false;
  const hold = async () => {
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
    isHeld = true;
  };
  const pool = watchedPool(ledger(), {
    after: (text) => {
      if (isHeld && text.includes('timers') && text.includes('for no key update of t skip locked')) {
        isHeld = false;
        void holder.query('rollback');
      }
    },
  });
  let whileAsked: (() => Promise<void>) | undefined;
  const trigger = await Trigger.createOn({ pool, clock, logger: log, limits: NEVER }, async (settings) => {
    const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const describe = port.describeChain.bind(port);
    port.describeChain = async (...args) => {
      const first = whileAsked;
      whileAsked = undefined;
      await first?.();
      return describe(...args);
    };
    return oneServer(port);
  });
  const run = async (until: () => Promise<void>) => {
    const running = trigger.run();
    try {
      await vi.waitFor(until, 60_000);
    } finally {
      trigger.shutdown();
      await running;
    }
  };
  const holdWhileAsked = () => {
    whileAsked = hold;
  };
  return { trigger, hold, holdWhileAsked, run };
}

it('a schedule that is locked for a moment when it comes due is claimed once it is free, and not an interval later', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const { hold, run } = await claimsBehind(scheduleId);
  await hold();
  clock.set('2026-03-01T01:00:00Z');
  await run(async () => {
    expect(await ledger().answers(scheduleId)).toEqual([expect.stringMatching(/^03-01T01:00:00 schedule/)]);
  });
});

it('a schedule that is locked for a moment while Temporal is asked about its last run is claimed once it is free', async () => {
  const { client, clock } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  const { scheduleId } = await client.create(someSchedule({ action }));
  const { trigger, holdWhileAsked, run } = await claimsBehind(scheduleId);
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  await worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`).result();
  clock.set('2026-03-01T02:00:00Z');
  holdWhileAsked();
  await run(async () => {
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed completed',
      expect.stringMatching(/^03-01T02:00:00 schedule (claimed|linked|closed)/),
    ]);
  });
});

/**
 * A trigger that claims in small batches, 32 schedules that are due since 00:30, and one that another session locks.
 *
 * @param wakeAt since when the locked schedule is due
 */
async function catchUpBehindLock(wakeAt: string) {
  const { client, clock, databaseUrl } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  for (let index = 0; index < 32; index++) await client.create(someSchedule());
  await ledger().query('update escapement.timers set wake_at = $2 where schedule_id = $1', [scheduleId, wakeAt]);
  const { passes } = await ledger().trigger({ limits: { batchSize: 1 } });
  const reported = async () => {
    await passes.heartbeat();
    const [row] = await ledger().query('select problems from escapement.triggers');
    return row!.problems;
  };
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  ledger().beforeClose(() => holder.end());
  await holder.query('begin');
  await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
  clock.set('2026-03-01T01:00:00Z');
  return { scheduleId, passes, reported, holder };
}

const FREE = 'the schedule is free to be claimed again';

it('a catch-up, in which no pass reads every due timer, does not go on reporting a lock that is long gone', async () => {
  const { clock, log } = ledger();
  const { scheduleId, passes, reported, holder } = await catchUpBehindLock('2026-03-01T00:29:59Z');
  await passes.claim();
  clock.advance(2_000);
  expect(await passes.claim()).toMatchObject({ more: true, missed: [{ scheduleId }] });
  expect(await reported()).toMatchObject([{ condition: 'lock_held', scheduleIds: [scheduleId] }]);
  await holder.query('rollback');
  expect(await passes.claim()).toMatchObject({ more: true, missed: [] });
  clock.advance(10_000);
  expect(await passes.claim()).toMatchObject({ more: true });
  expect(await reported()).toEqual([]);
  expect(log.messages()).toContain(FREE);
});

it('a catch-up goes on reporting a lock that lasts, although no pass reads the schedule any more', async () => {
  const { clock, log } = ledger();
  const { scheduleId, passes, reported, holder } = await catchUpBehindLock('2026-03-01T01:00:00Z');
  // The first pass finds that it is behind, so the next ones also read what has just become due.
  expect(await passes.claim()).toMatchObject({ more: true, missed: [] });
  expect(await passes.claim()).toMatchObject({ more: true, missed: [{ scheduleId }] });
  clock.advance(2_000);
  expect(await passes.claim()).toMatchObject({ more: true, missed: [{ scheduleId }] });
  const [problem] = await reported();
  expect(problem).toMatchObject({ condition: 'lock_held', scheduleIds: [scheduleId] });
  clock.advance(10_000);
  expect(await passes.claim()).toMatchObject({ more: true, missed: [] });
  expect(await reported()).toEqual([problem]);
  expect(log.messages()).not.toContain(FREE);
  await holder.query('rollback');
  clock.advance(10_000);
  expect(await passes.claim()).toMatchObject({ more: true, missed: [] });
  expect(await reported()).toEqual([]);
  expect(log.messages()).toContain(FREE);
});
