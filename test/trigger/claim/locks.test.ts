import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { lockHoldersOfEach } from '../../../store/schedules/lock-holders';
import { connectTemporal } from '../../../temporal/connection';
import type { TemporalPort } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import { announceAll } from '../../support/announced';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

it('no pass holds a lock during a call to Temporal', async () => {
  const { client, clock, log } = ledger();
  let transactions = 0;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.startsWith('begin')) transactions += 1;
    },
    after: (text) => {
      if (text === 'commit' || text === 'rollback') transactions -= 1;
    },
  });
  const during: Record<string, number> = {};
  const watchedTrigger = (listEndsIntervalMilliseconds: number) => {
    // One call at a time: what runs beside a call may hold a lock. So one trigger polls, and another reads the list.
    const options = { pool, clock, logger: log, startsInFlight: 1, limits: { listEndsIntervalMilliseconds } };
    return Trigger.createOn(options, async (settings) => {
      const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
      const watched = new Proxy(port, {
        get(target, name: keyof TemporalPort) {
          const method = target[name] as ((...args: unknown[]) => unknown) | undefined;
          if (!method) return undefined;
          return (...args: unknown[]) => {
            during[name] = Math.max(during[name] ?? 0, transactions);
            return method.apply(target, args);
          };
        },
      });
      return oneServer(watched);
    });
  };
  const trigger = await watchedTrigger(0);
  const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue: worker().taskQueue };
  for (const overlap of ['SKIP', 'CANCEL_OTHER', 'TERMINATE_OTHER'] as const) {
    await client.create(someSchedule({ action, policies: { overlap } }));
  }
  const lost = await client.create(
    someSchedule({ action, policies: { overlap: 'ALLOW_ALL', catchupWindow: '1 minute' } }),
  );
  for (const hour of ['01', '02', '03']) {
    clock.set(`2026-03-01T${hour}:00:00Z`);
    for (const pass of ['claim', 'verify', 'dispatch', 'interrupt', 'observe'] as const) await trigger.passes[pass]();
  }
  const lister = await watchedTrigger(1_000);
  clock.set('2026-03-01T04:00:00Z');
  for (const pass of ['claim', 'dispatch'] as const) await lister.passes[pass]();
  const noPolls = { from: new Date('2027-01-01') };
  // The first pass only notes from when on the list is read.
  await lister.passes.observe(undefined, noPolls);
  clock.advance(1_000);
  expect(await lister.passes.observe(undefined, noPolls)).toMatchObject({ listed: 1, polled: 0 });
  // A claim that was announced and never linked: recovery asks for the retention and looks the workflow up.
  await ledger().query(
    `update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = $1
     where schedule_id = $2 and state = 'linked'`,
    [new Date(clock.now()), lost.scheduleId],
  );
  clock.advance(600_000);
  await trigger.passes.reconcile();

  expect(Object.keys(during)).toEqual(
    expect.arrayContaining(['startWorkflow', 'describeChain', 'listEnds', 'requestCancel', 'terminate', 'retention']),
  );
  expect(Object.entries(during).filter(([, held]) => held > 0)).toEqual([]);
});

it('a schedule that somebody keeps locked holds up the end of no firing but its own', async () => {
  const { client, clock, databaseUrl } = ledger();
  const locked = await client.create(someSchedule());
  const free = await client.create(someSchedule());
  const dead = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  expect((await dead.passes.claim()).claimed).toHaveLength(2);
  await announceAll(ledger(), dead);
  await locked.pause();
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from escapement.timers where schedule_id = $1 for update', [locked.scheduleId]);

  const trigger = await ledger().trigger();
  clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 2, restarted: 1, abandoned: 0 });
  expect(await ledger().answers(free.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);

  await holder.query('rollback');
  await holder.end();
  clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ abandoned: 1 });
  expect(await ledger().answers(locked.scheduleId)).toEqual(['03-01T01:00:00 schedule abandoned schedule_paused']);
});

it('the record of ends holds no schedule locked while it waits for one that somebody keeps, and comes back to that', async () => {
  const { client, clock, databaseUrl } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
  const some = await Promise.all([1, 2, 3].map(() => client.create(someSchedule({ action }))));
  const [kept, ...free] = some
    .map(({ scheduleId }) => scheduleId)
    .sort()
    .reverse() as [string, ...string[]];
  let waits = 0;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('for no key update') && text.includes('timers') && !text.includes('skip locked')) waits += 1;
    },
  });
  const trigger = await ledger().trigger({ pool });
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  for (const scheduleId of [kept, ...free]) {
    await worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`).result();
  }
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept]);
  waits = 0;
  clock.advance(1_000);
  expect(await trigger.passes.observe()).toMatchObject({ polled: 3, closed: 2 });
  expect(waits).toBe(0);
  expect(await ledger().answers(kept)).toEqual(['03-01T01:00:00 schedule linked']);
  expect(ledger().log.lines).toContainEqual({
    level: 'warn',
    message: 'a schedule is locked, so its ends are not recorded',
    meta: { scheduleId: kept, error: expect.stringMatching(/^process \d+ \(.*idle in transaction, since 20/) },
  });
  for (const one of free) expect(await ledger().answers(one)).toEqual(['03-01T01:00:00 schedule closed completed']);

  await holder.query('rollback');
  await holder.end();
  clock.advance(1_000);
  const other = await ledger().trigger();
  expect(await other.passes.observe()).toMatchObject({ polled: 1, closed: 1 });
  expect(ledger().log.messages()).not.toContain('the schedule is free again');
  await trigger.passes.sayOver();
  expect(ledger().log.messages()).toContain('the schedule is free again');
});

it('a schedule that somebody keeps locked is not claimed, and after two seconds the log says who keeps it', async () => {
  const { client, clock, databaseUrl } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const free = await client.create(someSchedule());
  const { passes } = await ledger().trigger();
  const holder = new Client({ connectionString: databaseUrl, application_name: 'forgotten' });
  await holder.connect();
  const [{ pid }] = (await holder.query('select pg_backend_pid() as pid')).rows as [{ pid: number }];
  await holder.query('begin');
  await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);

  const said = () => ledger().log.lines.filter(({ meta }) => meta.scheduleId === scheduleId);
  clock.set('2026-03-01T01:00:00Z');
  expect((await passes.claim()).claimed).toMatchObject([{ scheduleId: free.scheduleId }]);
  clock.advance(1_999);
  await passes.claim();
  expect(said()).toEqual([]);
  clock.advance(1);
  await passes.claim();
  const line = {
    level: 'warn',
    message: 'a schedule is locked, so it is not claimed',
    meta: {
      scheduleId,
      error: expect.stringMatching(`^process ${pid} \\(.*forgotten, idle in transaction, since 20`),
    },
  };
  expect(said()).toEqual([line]);
  await passes.claim();
  expect(said()).toEqual([line]);

  await holder.query('rollback');
  await holder.end();
  await passes.claim();
  expect(said().map(({ message }) => message)).toContain('the schedule is free to be claimed again');
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
});

it('a schedule that another one has claimed since is not said to be locked when its next claim is under way', async () => {
  const { client, clock, databaseUrl } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const [one, other] = [await ledger().trigger(), await ledger().trigger()];
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  const lock = 'select from escapement.timers where schedule_id = $1 for update';
  await holder.query('begin');
  await holder.query(lock, [scheduleId]);
  clock.set('2026-03-01T01:00:00Z');
  expect(await one.passes.claim()).toMatchObject({ due: 1, locked: 0 });
  await holder.query('rollback');
  expect(await other.passes.claim()).toMatchObject({ locked: 1 });

  await holder.query('begin');
  await holder.query(lock, [scheduleId]);
  clock.set('2026-03-01T02:00:00Z');
  expect(await one.passes.claim()).toMatchObject({ due: 1, locked: 0 });
  expect(ledger().log.messages()).not.toContain('a schedule is locked, so it is not claimed');
  await holder.end();
});

it('a person who waits for a schedule that somebody keeps locked is told who does', async () => {
  let waits = 0;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (text.includes('for no key update')) waits += 1;
    },
  });
  const handle = await ledger().newClient({ connectionString: undefined, pool }).create(someSchedule());
  const holder = new Client({ connectionString: ledger().databaseUrl, application_name: 'forgotten' });
  await holder.connect();
  const [{ pid }] = (await holder.query('select pg_backend_pid() as pid')).rows as [{ pid: number }];
  await holder.query('begin');
  await holder.query('select from escapement.timers where schedule_id = $1 for update', [handle.scheduleId]);
  await expect(handle.pause()).rejects.toMatchObject({
    name: 'ScheduleLockedError',
    holders: [expect.stringMatching(`process ${pid} \\(.*forgotten, idle in transaction, since 20`)],
  });
  // Each waits two seconds.
  expect(waits).toBe(1);
  await holder.query('rollback');
  await holder.end();
  await handle.pause();
});

it('a session that took the lock in a savepoint is named too, as calls in a caller’s transaction take it', async () => {
  const handle = await ledger().client.create(someSchedule());
  const holder = new Client({ connectionString: ledger().databaseUrl, application_name: 'deploy' });
  await holder.connect();
  const [{ pid }] = (await holder.query('select pg_backend_pid() as pid')).rows as [{ pid: number }];
  await holder.query('begin');
  await handle.pause('for the release', { transaction: holder });
  await expect(handle.unpause()).rejects.toMatchObject({
    name: 'ScheduleLockedError',
    holders: [expect.stringMatching(`process ${pid} \\(.*deploy, idle in transaction, since 20`)],
  });
  await holder.query('rollback');
  await holder.end();
  await handle.unpause();
});

it('no session is named for a lock that somebody took in a savepoint if several may hold it, nor for a schedule that is free', async () => {
  const client = ledger().client;
  const [locked, other, free] = [
    await client.create(someSchedule()),
    await client.create(someSchedule()),
    await client.create(someSchedule()),
  ];
  const older = new Client({ connectionString: ledger().databaseUrl });
  const holder = new Client({ connectionString: ledger().databaseUrl });
  await Promise.all([older.connect(), holder.connect()]);
  await older.query('begin');
  await other.pause('kept open', { transaction: older });
  await free.pause();
  await holder.query('begin');
  await locked.pause('for the release', { transaction: holder });
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const ids = [locked, other, free].map(({ scheduleId }) => scheduleId);
  const holders = await lockHoldersOfEach(store, ids);
  expect(holders.map(({ scheduleId }) => scheduleId)).toEqual([other.scheduleId]);
  await older.end();
  await holder.end();
});
