import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DEFAULTS } from '../core/defaults';
import { migrate, migrationStatements } from '../migrations';
import { type ProvidedPostgres, providePostgres } from '../provision';
import { checkDatabaseOptions } from './check-options';
import type { TestDatabase, TestDatabaseOptions } from './database-options';

/**
 * Creates a Postgres database with the current schema. The database is a clone of a template, which is built once per
 * server and version of the schema. Parallel processes may call this function.
 *
 * @throws {InvalidOptionError} for an unknown or invalid option
 * @see `docs/testing.md`
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  checkDatabaseOptions(options);
  const server = options.databaseUrl ?? (await sharedServer());
  const name = `escapement_test_${randomBytes(6).toString('hex')}`;
  const databaseUrl = urlOf(server, name);
  const drop = () => asAdmin(server, (admin) => admin.query(`drop database if exists ${name} with (force)`));
  try {
    await asAdmin(server, async (admin) => {
      const template = await ensureTemplate(admin, server);
      const strategy = await strategyOf(admin);
      await admin.query(`create database ${name} template ${template} ${strategy}`);
      // The database is dropped at the end, so no commit needs to wait for the disk.
      await admin.query(`alter database ${name} set synchronous_commit to off`);
      const { timezone } = options;
      if (timezone) await admin.query(`alter database ${name} set timezone to ${admin.escapeLiteral(timezone)}`);
    });
    await ownInstallation(databaseUrl);
  } catch (error) {
    await drop();
    throw error;
  }
  return { databaseUrl, drop };
}

let shared: Promise<ProvidedPostgres> | undefined;

/** One Postgres for all test databases of this process without a `databaseUrl`; it stops with the process. */
async function sharedServer(): Promise<string> {
  shared ??= providePostgres({});
  return (await shared).databaseUrl;
}

/** If clones had the template's ID, Temporal would take the starts of one clone for those of another. */
async function ownInstallation(databaseUrl: string): Promise<void> {
  await asAdmin(databaseUrl, async (client) => {
    await client.query(
      `update ${DEFAULTS.schema}.meta set value = to_jsonb(gen_random_uuid()::text) where key = 'installation'`,
    );
  });
}

/** The template is built under a lock, and renamed once it is complete: a process may die while it builds. */
async function ensureTemplate(admin: Client, databaseUrl: string): Promise<string> {
  const source = migrationStatements(DEFAULTS.schema);
  const template = `escapement_template_${createHash('sha256').update(source.join()).digest('hex').slice(0, 12)}`;
  const building = `${template}_building`;
  await admin.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      await admin.query(`drop database if exists ${building} with (force)`);
      await admin.query(`create database ${building}`);
      await migrate({ connectionString: urlOf(databaseUrl, building) });
      await admin.query(`alter database ${building} rename to ${template}`);
    }
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
  return template;
}

/**
 * How a template is copied: as files where the server does not wait for a disk (fsync), since the copy needs two
 * checkpoints. Postgres offers the choice since version 15.
 */
async function strategyOf(admin: Client): Promise<'' | 'strategy file_copy'> {
  const { rows } = await admin.query<{ copies: boolean }>(
    `select current_setting('fsync') = 'off' and current_setting('server_version_num')::int >= 150000 as copies`,
  );
  return rows[0]!.copies ? 'strategy file_copy' : '';
}

async function asAdmin(databaseUrl: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function urlOf(databaseUrl: string, database: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}
