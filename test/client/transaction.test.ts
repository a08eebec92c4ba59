import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type { ClientBase } from 'pg';
import { describe, expect, it } from 'vitest';
import { InvalidScheduleError, ScheduleAlreadyRunning, ScheduleFrozenError, type TransactionLike } from '../../index';
import { poolOf } from '../support/connections/pool';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule } from '../support/ledger';
import { useTransactions } from './begun';

const { ledger, begun, schedules } = useTransactions();

/** Each kind of transaction, open, and how to end it. */
const KINDS: Record<string, () => Promise<{ transaction: TransactionLike; end(how: string): Promise<unknown> }>> = {
  'a Client of pg': async () => {
    const transaction = await begun();
    return { transaction, end: (how) => transaction.query(how) };
  },
  'a PoolClient of pg': async () => {
    const pool = poolOf({ connectionString: ledger().databaseUrl });
    ledger().beforeClose(() => pool.end());
    const transaction = await pool.connect();
    await transaction.query('begin');
    const end = (how: string) => transaction.query(how).finally(() => transaction.release());
    return { transaction, end };
  },
  'a Transaction of Kysely, with a plugin that renames': async () => {
    const pool = poolOf({ connectionString: ledger().databaseUrl });
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });
    ledger().beforeClose(() => db.destroy());
    const transaction = await db.startTransaction().execute();
    const end = (how: string) => (how === 'commit' ? transaction.commit() : transaction.rollback()).execute();
    return { transaction, end };
  },
  'a driver that writes JSON by the type of a parameter, as postgres.js does': async () => {
    const client = await begun();
    const query = async (text: string, values: unknown[]) => {
      const types = await typesOf(client, text);
      const written = values.map((value, index) => (types[index] === 'jsonb' ? JSON.stringify(value) : value));
      return (await client.query<never>(text, written)).rows;
    };
    return { transaction: { query }, end: (how) => client.query(how) };
  },
  'anything with query, that resolves to rows and reads types in its own way': async () => {
    const client = await begun();
    const query = async (text: string, values: unknown[]) =>
      (await client.query<never>({ text, values, ...{ types: textOnly } })).rows;
    return { transaction: { query }, end: (how) => client.query(how) };
  },
};

/** The types that Postgres gives the parameters of a statement. */
async function typesOf(client: ClientBase, text: string): Promise<string[]> {
  if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) return [];
  await client.query(`prepare described as ${text}`);
  const { rows } = await client.query(
    `select parameter_types::text[] as types from pg_prepared_statements where name = 'described'`,
  );
  await client.query('deallocate described');
  return rows[0].types;
}

const textOnly = {
  getTypeParser: (oid: number) => (oid === 25 ? (value: string) => value : strangeParser),
} as never;

const strangeParser = (value: string) => `custom ${value}`;

describe.each(Object.entries(KINDS))('in %s', (_, open) => {
  const complete = () => someSchedule({ state: { triggerImmediately: true }, spec: { cron: '*/5 * * * *' } });

  it('a schedule that is rolled back was never registered', async () => {
    const { transaction, end } = await open();
    await ledger().client.create(complete(), { transaction });
    await end('rollback');
    expect(await schedules()).toEqual([]);
    expect(await ledger().query('select from escapement.firings')).toEqual([]);
    expect(await ledger().query('select from escapement.timers')).toEqual([]);
  });

  it('every change takes part, sees those before it, and fires once it is committed', async () => {
    const { client, clock } = ledger();
    const old = await client.create(someSchedule());
    const { transaction, end } = await open();
    const handle = await client.create(complete(), { transaction });
    await handle.pause('for a moment', { transaction });
    await handle.unpause(undefined, { transaction });
    await handle.update((previous) => ({ ...previous, policies: { overlap: 'ALLOW_ALL' } }), { transaction });
    const manual = await handle.trigger({ transaction });
    expect(manual.scheduledTime).toEqual(new Date('2026-03-01T00:30:00.002Z'));
    await old.delete({ transaction });
    const trigger = await ledger().trigger();
    expect((await trigger.passes.claim()).claimed).toEqual([]);

    await end('commit');
    clock.set('2026-03-01T00:35:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T00:30:00.001 manual claimed',
      '03-01T00:30:00.002 manual claimed',
      '03-01T00:35:00 schedule claimed',
    ]);
    expect((await handle.describe()).info.version).toBe(2);
    expect((await schedules()).find((row) => row.schedule_id === old.scheduleId)).toMatchObject({
      deleted_at: expect.any(Date),
    });
  });

  it.each(['pause', 'delete'] as const)('%s skips what waits for its start, and gives its action back', async (how) => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ state: { remainingActions: 7 } }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    const { transaction, end } = await open();
    await (how === 'pause' ? handle.pause(undefined, { transaction }) : handle.delete({ transaction }));
    await end('commit');
    const reason = how === 'pause' ? 'paused' : 'schedule_deleted';
    expect(await ledger().answers(handle.scheduleId)).toEqual([`03-01T01:00:00 schedule skipped ${reason}`]);
    expect(await ledger().query('select remaining_actions as left from escapement.timers')).toEqual([{ left: 7 }]);
  });
});

it('a schedule with a timed pause can be changed and unpaused', async () => {
  const handle = await ledger().client.create(someSchedule());
  await handle.pause({ until: '1 hour' });
  const transaction = await begun();
  const seen: unknown[] = [];
  await handle.update(
    (previous) => {
      seen.push(previous.state.pausedUntil);
      return { ...previous, spec: { cron: '5 * * * *' } };
    },
    { transaction },
  );
  await handle.unpause(undefined, { transaction });
  await transaction.query('commit');
  expect(seen).toEqual([new Date('2026-03-01T01:30:00Z')]);
  expect(await handle.describe()).toMatchObject({ spec: { cron: '5 * * * *' }, state: { paused: false } });
});

it('a frozen schedule can be changed, and refuses to fire', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule());
  await client.freezes.create({ scheduleIds: [handle.scheduleId], to: new Date('2026-03-01T02:00:00Z') });
  const transaction = await begun();
  await expect(handle.trigger({ transaction })).rejects.toThrow(ScheduleFrozenError);
  await handle.update((previous) => ({ ...previous, spec: { cron: '5 * * * *' } }), { transaction });
  await transaction.query('commit');
  expect(await handle.describe()).toMatchObject({ spec: { cron: '5 * * * *' } });
});

describe('an error of ours in the caller’s transaction', () => {
  it.each<[string, (transaction: TransactionLike, taken: string) => Promise<unknown>, object]>([
    [
      'an ID that is taken',
      (transaction, scheduleId) => ledger().client.create(someSchedule({ scheduleId }), { transaction }),
      ScheduleAlreadyRunning,
    ],
    [
      'a spec that is refused',
      (transaction) => ledger().client.create(someSchedule({ spec: { cron: 'no' } }), { transaction }),
      InvalidScheduleError,
    ],
    [
      'a backfill, which takes transactions of its own',
      (transaction) => {
        const backfill = [{ start: new Date('2026-02-01'), end: new Date('2026-02-02') }];
        return ledger().client.create(someSchedule({ state: { backfill } }), { transaction });
      },
      InvalidScheduleError,
    ],
    [
      'an updater that throws',
      (transaction, taken) =>
        ledger()
          .client.getHandle(taken)
          .update(
            () => {
              throw new RangeError('mine');
            },
            { transaction },
          ),
      RangeError,
    ],
  ])('(%s) leaves what was done before, and the choice to commit', async (_, fail, error) => {
    const { client } = ledger();
    const { scheduleId: taken } = await client.create(someSchedule());
    const transaction = await begun();
    await transaction.query('create table orders (id int)');
    const kept = await client.create(someSchedule(), { transaction });
    await expect(fail(transaction, taken)).rejects.toThrow(error as never);
    await transaction.query('insert into orders values (1)');
    await transaction.query('commit');
    expect((await schedules()).map((row) => row.schedule_id).sort()).toEqual([taken, kept.scheduleId].sort());
    expect(await ledger().query('select id from orders')).toEqual([{ id: 1 }]);
  });

  it('that comes from Postgres undoes this call alone', async () => {
    const { client } = ledger();
    await ledger().query(`alter table escapement.schedule_versions add check (action ->> 'workflowType' <> 'bad')`);
    const transaction = await begun();
    const kept = await client.create(someSchedule(), { transaction });
    const action = { type: 'startWorkflow', workflowType: 'bad', taskQueue: 'q' } as const;
    await expect(client.create(someSchedule({ action }), { transaction })).rejects.toMatchObject({ code: '23514' });
    await transaction.query('commit');
    expect(await schedules()).toMatchObject([{ schedule_id: kept.scheduleId }]);
  });
});

it('every change sends one query at a time, as a transaction may demand', async () => {
  const { client } = ledger();
  const connection = await begun();
  let open = 0;
  const transaction: TransactionLike = {
    query: async (text: string, values: unknown[]) => {
      if (open > 0) throw new Error(`a query overlaps another: ${text}`);
      open += 1;
      return connection.query(text, values).finally(() => {
        open -= 1;
      });
    },
  };
  const handle = await client.create(someSchedule({ memo: { team: 'a' } }), { transaction });
  await handle.update((previous) => ({ ...previous, spec: { cron: '5 * * * *' } }), { transaction });
  await handle.pause('for a moment', { transaction });
  await handle.unpause(undefined, { transaction });
  await handle.trigger({ transaction });
  await connection.query('commit');
  expect(await handle.describe()).toMatchObject({ spec: { cron: '5 * * * *' }, info: { version: 2 } });
});

it('an update in a transaction that lost its race is prepared again, for what is there then', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule());
  const transaction = await begun();
  const seen: (string | undefined)[] = [];
  await handle.update(
    async (previous) => {
      if (seen.length === 0) await client.getHandle(handle.scheduleId).pause('of another');
      seen.push(previous.state.note);
      return { ...previous, policies: { overlap: 'ALLOW_ALL' } };
    },
    { transaction },
  );
  await transaction.query('commit');
  expect(seen).toEqual([undefined, 'of another']);
  expect(await handle.describe()).toMatchObject({ policies: { overlap: 'ALLOW_ALL' }, state: { paused: true } });
});

it('create takes two round trips at most, and one once the client knows the schema', async () => {
  const statements: string[] = [];
  const pool = watchedPool(ledger(), { before: (text) => statements.push(text) });
  const client = ledger().newClient({ pool, connectionString: undefined });
  await client.create(someSchedule());
  expect(statements).toHaveLength(2);
  await client.create(someSchedule());
  expect(statements).toHaveLength(3);
});
