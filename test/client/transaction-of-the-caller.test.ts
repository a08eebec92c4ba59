import { Kysely, PostgresDialect } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  EscapementClient,
  InvalidScheduleError,
  ScheduleAlreadyRunning,
  ScheduleLockedError,
  type TransactionLike,
} from '../../index';
import { poolOf } from '../support/connections/pool';
import { someSchedule } from '../support/ledger';
import { useWorker } from '../support/temporal';
import { finish } from '../support/workers/workflows';
import { useTransactions } from './begun';

const { ledger, begun, schedules } = useTransactions();

const worker = useWorker();

describe('a transaction that stays open for hours after a create', () => {
  it('holds up nobody else, and each occurrence since has its answer when it commits', async () => {
    const { client, clock } = ledger();
    const neighbour = await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
    const transaction = await begun();
    const policies = { overlap: 'ALLOW_ALL', catchupLimit: 2 } as const;
    const handle = await client.create(someSchedule({ policies }), { transaction });
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02', '03', '04']) {
      clock.set(`2026-03-01T${hour}:00:00Z`);
      const { claimed } = await trigger.passes.claim();
      expect(claimed.map((key) => key.scheduleId)).toEqual([neighbour.scheduleId]);
      await trigger.passes.sweep();
      await client.create(someSchedule({ spec: { cron: '0 0 1 1 *' } }));
      await client.getHandle(neighbour.scheduleId).trigger('ALLOW_ALL');
      await trigger.passes.claim();
    }
    clock.set('2026-03-01T04:30:00Z');
    await transaction.query('commit');
    expect((await trigger.passes.claim()).claimed).toHaveLength(2);
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T02:00:00 gap 2 over_catchup_limit',
      '03-01T03:00:00 catchup claimed',
      '03-01T04:00:00 catchup claimed',
    ]);
  });

  it('leaves no lock but on rows that nobody else can see', async () => {
    const existing = await ledger().client.create(someSchedule());
    const transaction = await begun();
    await ledger().client.create(someSchedule({ state: { triggerImmediately: true } }), { transaction });
    await expect(
      ledger().client.create(someSchedule({ scheduleId: existing.scheduleId }), { transaction }),
    ).rejects.toThrow(ScheduleAlreadyRunning);
    const { client, sql } = ledger();
    await sql.query('set lock_timeout = 1');
    await sql.query('select from escapement.timers for update nowait');
    await sql.query('select from escapement.schedules for update nowait');
    await sql.query(`select escapement.ensure_partition('2031-01-01T00:00:00Z')`);
    await client.getHandle(existing.scheduleId).delete();
    await transaction.query('commit');
  });

  it('makes a month that is missing without the caller’s lock', async () => {
    const transaction = await begun();
    ledger().clock.set('2033-07-01T00:30:00Z');
    await ledger().client.create(someSchedule({ state: { triggerImmediately: true } }), { transaction });
    await ledger().sql.query('set lock_timeout = 1');
    await ledger().query(`select escapement.ensure_partition('2033-08-01T00:00:00Z')`);
    await transaction.query('commit');
    expect(await ledger().query('select from escapement.firings')).toHaveLength(1);
  });

  it('has a second create of its ID fail with a typed error, which can be tried again', async () => {
    const options = someSchedule();
    const [first, second] = [await begun(), await begun()];
    await ledger().client.create(options, { transaction: first });
    await expect(ledger().client.create(options, { transaction: second })).rejects.toMatchObject({
      name: 'ScheduleLockedError',
      scheduleId: options.scheduleId,
    });
    await expect(ledger().client.create(options)).rejects.toThrow(ScheduleLockedError);
    await first.query('rollback');
    await ledger().client.create(options, { transaction: second });
    await second.query('commit');
    expect(await schedules()).toHaveLength(1);
  });

  it('has a second create of its external ID fail likewise', async () => {
    const labels = { externalId: 'billing-42' };
    const transaction = await begun();
    await ledger().client.create(someSchedule(labels), { transaction });
    const second = someSchedule(labels);
    await expect(ledger().client.create(second)).rejects.toMatchObject({
      name: 'ScheduleLockedError',
      scheduleId: second.scheduleId,
    });
    await transaction.query('rollback');
    await ledger().client.create(second);
    expect(await schedules()).toHaveLength(1);
  });

  it('holds up only its own schedule where it changed one: chains of others close', async () => {
    const { taskQueue, client: temporal } = worker();
    const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue };
    const handles = [
      await ledger().client.create(someSchedule({ action })),
      await ledger().client.create(someSchedule({ action })),
    ];
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    for (const { scheduleId } of handles) {
      const execution = temporal.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`);
      await execution.signal(finish);
      await execution.result();
    }
    const transaction = await begun();
    await handles[0]!.pause(undefined, { transaction });
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    const states = async () =>
      Promise.all(handles.map(async ({ scheduleId }) => (await ledger().firings(scheduleId))[0]!.state));
    expect(await states()).toEqual(['linked', 'closed']);
    await transaction.query('commit');
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    expect(await states()).toEqual(['closed', 'closed']);
  });
});

describe('the caller’s transaction', () => {
  it.each(['repeatable read', 'serializable'])('may be %s', async (level) => {
    const { client, clock } = ledger();
    const transaction = await begun(`begin isolation level ${level}`);
    const handle = await client.create(someSchedule(), { transaction });
    await handle.update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } }), { transaction });
    await expect(client.create(someSchedule({ scheduleId: handle.scheduleId }), { transaction })).rejects.toThrow(
      ScheduleAlreadyRunning,
    );
    clock.set('2026-03-01T01:40:00Z');
    await transaction.query('commit');
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:30:00 catchup claimed']);
  });

  it('gets Postgres’ own serialization failure, with its code, where its snapshot is too old', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    const transaction = await begun('begin isolation level repeatable read');
    await transaction.query('select from escapement.schedules');
    await handle.pause();
    await expect(handle.pause(undefined, { transaction })).rejects.toMatchObject({ code: '40001' });
    await transaction.query('commit');
  });

  it('keeps its own settings, whatever they are', async () => {
    const transaction = await begun();
    await transaction.query(
      `set local search_path = pg_catalog; set local lock_timeout = '77s'; set local datestyle = 'SQL, DMY'`,
    );
    const handle = await ledger().client.create(someSchedule(), { transaction });
    await handle.update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } }), { transaction });
    await expect(handle.update(() => ({}) as never, { transaction })).rejects.toThrow(InvalidScheduleError);
    const { rows } = await transaction.query(`select current_setting('search_path') as path,
      current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('statement_timeout') as statement`);
    expect(rows).toEqual([{ path: 'pg_catalog', lock: '77s', idle: '0', statement: '0' }]);
    await transaction.query('commit');
    expect((await handle.describe()).definition.spec).toEqual({ cron: '30 * * * *' });
  });

  it('may be on the only connection that the pool has', async () => {
    const pool = poolOf({ connectionString: ledger().databaseUrl, max: 1 });
    ledger().beforeClose(() => pool.end());
    const client = new EscapementClient({ pool, now: () => new Date(ledger().clock.now()) });
    const transaction = await pool.connect();
    await transaction.query('begin');
    await client.create(someSchedule(), { transaction });
    await transaction.query('commit');
    transaction.release();
    expect(await schedules()).toHaveLength(1);
  });

  it('may be used for several calls at once', async () => {
    const transaction = await begun();
    const taken = someSchedule();
    await ledger().client.create(taken, { transaction });
    const calls = [someSchedule(), taken, someSchedule(), taken, someSchedule()].map((options) =>
      ledger().client.create(options, { transaction }),
    );
    expect((await Promise.allSettled(calls)).map((call) => call.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await transaction.query('commit');
    expect(await schedules()).toHaveLength(4);
  });

  it('may be used by an updater for another change', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    const transaction = await begun();
    await handle.update(
      async (previous) => {
        await client.create(someSchedule(), { transaction });
        return { ...previous, policies: { overlap: 'ALLOW_ALL' } };
      },
      { transaction },
    );
    await transaction.query('commit');
    expect(await schedules()).toHaveLength(2);
  });

  it.each<[string, (databaseUrl: string) => unknown]>([
    [
      'a connection without a transaction',
      async (connectionString) => {
        const client = new Client({ connectionString });
        await client.connect();
        ledger().beforeClose(() => client.end());
        return client;
      },
    ],
    [
      'a Kysely that is none',
      (connectionString) => {
        const db = new Kysely({ dialect: new PostgresDialect({ pool: poolOf({ connectionString }) }) });
        ledger().beforeClose(() => db.destroy());
        return db;
      },
    ],
    ['something else', () => ({ execute: () => undefined })],
  ])('must be one: %s is refused, and nothing is written', async (_, make) => {
    const transaction = (await make(ledger().databaseUrl)) as TransactionLike;
    await expect(ledger().client.create(someSchedule(), { transaction })).rejects.toMatchObject({
      name: 'InvalidOptionError',
      path: 'transaction',
    });
    expect(await schedules()).toEqual([]);
  });
});

describe('an ID that was deleted', () => {
  it('comes to life again with the caller’s commit, and only with it', async () => {
    const { client, clock } = ledger();
    const options = someSchedule();
    const handle = await client.create(options);
    await handle.delete();
    clock.set('2026-03-01T02:30:00Z');
    for (const [end, live] of [
      ['rollback', false],
      ['commit', true],
    ] as const) {
      const transaction = await begun();
      await client.create(options, { transaction });
      await transaction.query(end);
      const rows = await ledger().query('select from escapement.schedules where deleted_at is null');
      expect(rows).toHaveLength(live ? 1 : 0);
    }
    clock.set('2026-03-01T03:00:00Z');
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers(options.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T02:00:00 gap 2 deleted',
      '03-01T03:00:00 schedule claimed',
    ]);
  });
});
