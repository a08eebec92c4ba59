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

/** A connection string of sessions that begin with limits of half an hour: those that this version of Postgres knows. */
async function limited(): Promise<string> {
  const known = await ledger().query<{ name: string }>(`select name from pg_settings where name = any($1)`, [LIMITS]);
  const url = new URL(ledger().databaseUrl);
  url.searchParams.set('options', known.map(({ name }) => `-c ${name}=30min`).join(' '));
  return url.href;
}

const limits = sql<{ setting: string }>`select setting from pg_settings where name = any(${LIMITS}::text[])`;
const migrateFurther = async (statement: ReturnType<typeof sql>) => {
  const pool = poolOf({ connectionString: await limited(), max: 1 });
  ledger().beforeClose(() => pool.end());
  const steps = [step(statement)];
  await migrateBy((schema) => ({ ...migrations(schema), '0999-further': { oldestProgram: 1, steps } }), { pool });
  return pool;
};

it('no limit of its session ends a migration, and the session of the caller has its limits again afterwards', async () => {
  const pool = await migrateFurther(sql`create table public.seen as ${limits}`);
  expect(await ledger().query('select distinct setting from public.seen')).toEqual([{ setting: '0' }]);
  const { rows } = await pool.query('show idle_session_timeout');
  expect(rows).toEqual([{ idle_session_timeout: '30min' }]);
});

it('no limit of its session ends an archive', async () => {
  const seen = await alone({ connectionString: await limited() }, async ({ db }) => (await limits.execute(db)).rows);
  expect(new Set(seen!.map(({ setting }) => setting))).toEqual(new Set(['0']));
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
