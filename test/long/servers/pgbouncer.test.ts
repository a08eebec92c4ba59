import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { announceAll } from '../../support/announced';
import { someSchedule, useLedger } from '../../support/ledger';
import { pgbouncerOf } from '../../support/servers/pgbouncer';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

describe.each(['session', 'transaction'] as const)('behind pgbouncer that lends connections by the %s', (mode) => {
  it('a firing is claimed, started, linked and closed, and what a dead trigger announced is taken over', async () => {
    const { clock } = ledger();
    const connectionString = await pgbouncerOf(ledger().databaseUrl, mode);
    const client = ledger().newClient({ connectionString });
    const action = { type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue };
    const { scheduleId } = await client.create(someSchedule({ action, policies: { overlap: 'ALLOW_ALL' } }));
    const dead = await ledger().trigger({ connectionString });
    await dead.passes.heartbeat();
    clock.set('2026-03-01T01:00:00Z');
    await dead.passes.heartbeat();
    expect((await dead.passes.claim()).claimed).toHaveLength(1);
    expect(await dead.passes.dispatch()).toMatchObject({ linked: 1 });
    clock.set('2026-03-01T02:00:00Z');
    expect((await dead.passes.claim()).claimed).toHaveLength(1);
    await announceAll(ledger(), dead);

    // Whatever it had of Postgres dies with it.
    const own = new Client({ connectionString });
    await own.connect();
    const others = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'escapement'`;
    expect((await ledger().query(others)).length).toBeGreaterThan(0);
    const trigger = await ledger().trigger({ connectionString });
    clock.advance(31_000);
    const passes = async () => {
      await trigger.passes.heartbeat();
      await trigger.passes.reconcile();
      await trigger.passes.dispatch();
      clock.advance(31_000);
      await trigger.passes.observe();
      return ledger().answers(scheduleId);
    };
    await expect
      .poll(() => passes().catch((error: Error) => error.name))
      .toEqual(['03-01T01:00:00 schedule closed completed', '03-01T02:00:00 schedule closed completed']);
    // What others find on the connections that it lends them is as it was.
    const { rows } = await own.query(
      `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`,
    );
    expect(rows).toEqual([{ lock: '0', statement: '0' }]);
    await own.end();
  });

  it('each statement is bounded, in and outside of transactions', async () => {
    const store = openStore({ connectionString: await pgbouncerOf(ledger().databaseUrl, mode) });
    ledger().beforeClose(() => store.close());
    const bounds = sql<{ lock: string; statement: string }>`select current_setting('lock_timeout') as lock,
      current_setting('statement_timeout') as statement`;
    const inside = await store.db.transaction().execute((transaction) => bounds.execute(transaction));
    expect(inside.rows).toEqual([{ lock: '2s', statement: '10s' }]);
    for (let turn = 0; turn < 3; turn++) expect((await bounds.execute(store.db)).rows).toEqual(inside.rows);
  });

  it('a store that keeps plans keeps none, where the next statement may meet another server process', async () => {
    const connectionString = await pgbouncerOf(ledger().databaseUrl, mode);
    const store = openStore({ connectionString }, { keepsPlans: true });
    ledger().beforeClose(() => store.close());
    const one = async (value: number) => (await sql`select ${value}::int as value`.execute(store.db)).rows;
    const values = Array.from({ length: 20 }, (_, value) => value);
    expect(await Promise.all(values.map(one))).toEqual(values.map((value) => [{ value }]));
    const kept = await sql`select name from pg_prepared_statements where name <> ''`.execute(store.db);
    expect(kept.rows).toEqual([]);
  });
});
