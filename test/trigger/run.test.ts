import { Client } from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { Trigger } from '../../trigger';
import { DatabaseClock } from '../../trigger/clock';
import { announceAll } from '../support/announced';
import { proxyOf } from '../support/connections/proxy';
import { patient } from '../support/connections/watched-pool';
import { everySecond, someSchedule, useLedger } from '../support/ledger';
import { MemoryLogger } from '../support/logger';
import { runCli } from '../support/processes/child';

// These tests run real loops on the real clock, and wait for events, however long they take.
const ledger = useLedger();

describe('escapement run', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s lets a start in flight finish and link, claims no more than it was at, and exits 0',
    async (signal) => {
      const proxy = await proxyOf(inject('temporalAddress'));
      const client = ledger().newClient({ now: undefined });
      const { scheduleId } = await client.create(everySecond());
      const trigger = runCli(['run'], {
        DATABASE_URL: ledger().databaseUrl,
        TEMPORAL_ADDRESS: proxy.address,
      });
      await trigger.line(/trigger running/);
      await trigger.line(/linked/);
      proxy.holdAnswers();
      await vi.waitFor(async () => expect(await attempted(scheduleId)).toBeGreaterThan(0), 60_000);
      // Twice, as from the terminal and from npx.
      const killedAt = Date.now();
      trigger.kill(signal);
      trigger.kill(signal);
      proxy.restore();
      expect(await trigger.ended()).toEqual({ code: 0, signal: null });

      // By the process's own clock: its lines come here later than it writes them.
      const lines = trigger.output.map((line) => JSON.parse(line) as { time: number; msg: string });
      expect(lines.filter(({ time, msg }) => msg === 'claimed' && time > killedAt).length).toBeLessThanOrEqual(1);
      // Firings that were taken but not called yet can be taken over by any trigger at once.
      const kept = "state = 'claimed' and owner is not null";
      const left = `first_attempted_at is not null or check_at is null or check_at > clock_timestamp()`;
      expect(await ledger().query(`select * from escapement.firings where ${kept} and (${left})`)).toEqual([]);
      expect(await ledger().query('select * from escapement.triggers')).toEqual([]);
      expect(await attempted(scheduleId)).toBe(0);
    },
  );
});

describe('a running trigger', () => {
  it('waits Postgres out and goes on when it is back', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    const logger = new MemoryLogger();
    const trigger = await Trigger.createTuned({
      connectionString: url.href,
      connection: { address: inject('temporalAddress') },
      logger,
      limits: { claimIntervalMilliseconds: 50, heartbeatIntervalMilliseconds: 50, backoffCapMilliseconds: 100 },
    });
    const running = trigger.run();
    try {
      await vi.waitFor(
        async () => expect(await ledger().query('select * from escapement.triggers')).toHaveLength(1),
        60_000,
      );
      proxy.cut();
      await vi.waitFor(() => expect(logger.messages()).toContain('claim pass failed; trying again'), 60_000);
      expect(trigger.getState()).toBe('RUNNING');
      proxy.restore();
      await vi.waitFor(() => expect(logger.messages()).toContain('claim pass works again'), 60_000);
      const { scheduleId } = await ledger().newClient({ now: undefined }).create(everySecond());
      await vi.waitFor(async () => expect(await ledger().firings(scheduleId)).not.toEqual([]), 60_000);
    } finally {
      trigger.shutdown();
      await running;
    }
    expect(trigger.getState()).toBe('STOPPED');
  });

  it('hands nothing back when it stops: what it has not called is started by another one, as if nothing had happened', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const { scheduleId } = await ledger().newClient({ now: undefined }).create(everySecond());
    const logger = new MemoryLogger();
    const trigger = await Trigger.create({
      connectionString: ledger().databaseUrl,
      connection: { address: proxy.address },
      logger,
    });
    proxy.cut();
    const running = trigger.run();
    await vi.waitFor(() => expect(logger.messages()).toContain('Temporal does not answer: due firings wait'), 60_000);
    trigger.shutdown();
    await running;

    ledger().clock.set(new Date(Date.now() + 5_000).toISOString());
    const other = await ledger().trigger();
    await other.passes.reconcile();
    await other.passes.dispatch();
    const firings = await ledger().firings(scheduleId);
    expect(firings.map((firing) => [firing.state, firing.recovery])).toEqual(firings.map(() => ['linked', null]));
    expect(firings).not.toEqual([]);
  });

  it('is alive until all that it has begun has ended', async () => {
    const handle = await ledger()
      .newClient({ now: undefined })
      .create(someSchedule({ state: { paused: true } }));
    await handle.trigger();
    const limits = { heartbeatIntervalMilliseconds: 50 };
    // What it has begun waits for the lock until that is released.
    const trigger = await ledger().trigger({ ...patient(ledger(), 20), clock: new DatabaseClock(), limits });
    const heartbeats = () => ledger().query<{ heartbeat_at: Date }>('select heartbeat_at from escapement.triggers');
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table escapement.firings in share mode');
    const running = trigger.run();
    try {
      await vi.waitFor(async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        expect(await ledger().query(waiting)).not.toEqual([]);
      }, 60_000);
      trigger.shutdown();
      const at = async () => (await heartbeats())[0]!.heartbeat_at.getTime();
      const last = await at();
      await vi.waitFor(async () => expect(await at()).toBeGreaterThan(last), 60_000);
    } finally {
      await holder.end();
      trigger.shutdown();
      await running;
    }
    expect(await heartbeats()).toEqual([]);
  });

  it('takes over what a dead one holds the moment its heartbeat is too old, however rarely it polls', async () => {
    // By the real clock its hour may come at any time.
    const options = someSchedule({ state: { paused: true } });
    const handle = await ledger().newClient({ now: undefined }).create(options);
    await handle.trigger();
    await ledger().query(`insert into escapement.meta values ('settings', '{"staleAfterMilliseconds": 5000}')`);
    const limits = { reconcileIntervalMilliseconds: 3_600_000 };
    const dead = await ledger().trigger({ clock: new DatabaseClock(), limits });
    await dead.passes.heartbeat();
    expect((await dead.passes.claim()).claimed).toHaveLength(1);
    await announceAll(ledger(), dead, Date.now());
    const alive = await ledger().trigger({ clock: new DatabaseClock(), limits });
    const running = alive.run();
    try {
      await vi.waitFor(
        async () =>
          expect(await ledger().firings(handle.scheduleId)).toMatchObject([
            { state: 'linked', recovery: { reason: 'trigger_lost' } },
          ]),
        60_000,
      );
    } finally {
      alive.shutdown();
      await running;
    }
  });

  it('asks Temporal about all that overlaps, however little one pass asks', async () => {
    const { clock, client } = ledger();
    const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue: 'nobody-polls' };
    for (let index = 0; index < 30; index++)
      await client.create(someSchedule({ action, policies: { overlap: 'SKIP' } }));
    const { passes } = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await passes.claim();
    await passes.dispatch();
    clock.set('2026-03-01T02:00:00Z');
    // Only the pass that is woken runs twice.
    const limits = { batchSize: 2, claimIntervalMilliseconds: 3_600_000, observeIntervalMilliseconds: 3_600_000 };
    const trigger = await ledger().trigger({ limits });
    const running = trigger.run();
    try {
      await vi.waitFor(async () => {
        const skipped = await ledger().query(`select from escapement.firings where state = 'skipped'`);
        expect(skipped).toHaveLength(30);
      }, 60_000);
    } finally {
      trigger.shutdown();
      await running;
    }
  });

  it('that is stopped before its first heartbeat has claimed nothing', async () => {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(`${url.hostname}:${url.port}`);
    url.host = proxy.address;
    await ledger().client.create(someSchedule({ spec: { cron: '* * * * *' } }));
    const connection = { address: inject('temporalAddress') };
    const trigger = await Trigger.create({ connectionString: url.href, connection, logger: new MemoryLogger() });
    proxy.holdAnswers();
    const running = trigger.run();
    trigger.shutdown();
    proxy.restore();
    await running;
    expect(await ledger().query('select * from escapement.firings')).toEqual([]);
    expect(await ledger().query('select * from escapement.gaps')).toEqual([]);
  });

  it('that is stopped before it runs does not run', async () => {
    const logger = new MemoryLogger();
    const trigger = await ledger().trigger({ logger });
    trigger.shutdown();
    await trigger.run();
    expect(trigger.getState()).toBe('STOPPED');
  });

  it('cannot be closed under its loops', async () => {
    const trigger = await ledger().trigger();
    const running = trigger.run();
    await expect(trigger.close()).rejects.toThrow('call shutdown() and await run()');
    trigger.shutdown();
    await running;
  });

  it('cannot run twice', async () => {
    const trigger = await ledger().trigger();
    const running = trigger.run();
    await expect(trigger.run()).rejects.toThrow('this trigger is RUNNING and cannot run again');
    trigger.shutdown();
    await running;
  });
});

async function attempted(scheduleId: string): Promise<number> {
  const rows = await ledger().query(
    `select from escapement.firings where schedule_id = $1 and state = 'claimed' and start_attempted_at is not null`,
    [scheduleId],
  );
  return rows.length;
}
