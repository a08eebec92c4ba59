import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../migrations';
import { migrateBy } from '../../migrations/migrate';
import { step } from '../../migrations/migration';
import { alone, besideNoArchive } from '../../store/archive/turn';
import { openStore, type Store } from '../../store/connection';
import { whileNoneRetires } from '../../store/purge/tables';
import { poolOf } from '../support/connections/pool';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

const LIMITS = [
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'statement_timeout',
  'transaction_timeout',
];

/** A connection string of sessions that begin with limits of half an hour. */
function limited(): string {
  const url = new URL(ledger().databaseUrl);
  url.searchParams.set('options', LIMITS.map((name) => `-c ${name}=30min`).join(' '));
  return url.href;
}

const limits = sql<{ setting: string }>`select setting from pg_settings where name = any(${LIMITS}::text[])`;
const migrateFurther = (statement: ReturnType<typeof sql>, pool = poolOf({ connectionString: limited(), max: 1 })) => {
  ledger().beforeClose(() => pool.end());
  const steps = [step(statement)];
  return migrateBy((schema) => ({ ...migrations(schema), '0999-further': { oldestProgram: 1, steps } }), { pool });
};

it('no limit of its session ends a migration, and the session of the caller has its limits again afterwards', async () => {
  const pool = poolOf({ connectionString: limited(), max: 1 });
  await migrateFurther(sql`create table public.seen as ${limits}`, pool);
  expect(await ledger().query('select distinct setting from public.seen')).toEqual([{ setting: '0' }]);
  const { rows } = await pool.query('show transaction_timeout');
  expect(rows).toEqual([{ transaction_timeout: '30min' }]);
});

it('no limit of its session ends an archive', async () => {
  const seen = await alone({ connectionString: limited() }, async ({ db }) => (await limits.execute(db)).rows);
  expect(seen).toEqual(LIMITS.map(() => ({ setting: '0' })));
});

const die = sql`select pg_terminate_backend(pg_backend_pid())`;
const dieOn = ({ db }: Store) => die.execute(db);
const opened = () => {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  return store;
};

it.each<[string, () => Promise<unknown>]>([
  ['migrates', () => migrateFurther(die)],
  ['archives', () => alone({ connectionString: ledger().databaseUrl }, dieOn)],
  ['works beside no archive', () => besideNoArchive(opened(), dieOn)],
  ['works while no month is retired', () => whileNoneRetires(opened(), dieOn)],
])('a session that dies while it %s says why it died', async (_, work) => {
  await expect(work()).rejects.toThrow('terminating connection due to administrator command');
});
