import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DEFAULTS } from '../core/defaults';
import { migrate, migrations } from '../migrations';

/** Where to make a test database. */
export interface TestDatabaseOptions {
  /** A Postgres whose user may create databases. */
  databaseUrl: string;
  /** Time zone of its sessions, to show that nothing depends on it. @default the server's */
  timezone?: string;
}

/** A migrated database of its own. */
export interface TestDatabase {
  databaseUrl: string;
  /** Remove it, with whatever is still connected. */
  drop(): Promise<void>;
}

/**
 * A migrated Postgres database in milliseconds: a clone of a template that is made once per version of the schema. Safe
 * in parallel processes.
 */
export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const name = `escapement_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(options.databaseUrl, async (admin) => {
    const template = await ensureTemplate(admin, options.databaseUrl);
    await admin.query(`create database ${name} template ${template}`);
    if (options.timezone)
      await admin.query(`alter database ${name} set timezone to ${admin.escapeLiteral(options.timezone)}`);
  });
  const databaseUrl = urlOf(options.databaseUrl, name);
  await ownInstallation(databaseUrl);
  return {
    databaseUrl,
    drop: () =>
      asAdmin(options.databaseUrl, async (admin) => {
        await admin.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** A clone is a ledger of its own: with the template's installation its starts would be taken for another clone's. */
async function ownInstallation(databaseUrl: string): Promise<void> {
  await asAdmin(databaseUrl, async (client) => {
    await client.query(
      `update ${DEFAULTS.schema}.meta set value = to_jsonb(gen_random_uuid()::text) where key = 'installation'`,
    );
  });
}

/** The template of this schema, made under a lock by whoever comes first and complete as soon as it has its name. */
async function ensureTemplate(admin: Client, databaseUrl: string): Promise<string> {
  const record = migrations(DEFAULTS.schema);
  const source = Object.entries(record).map(([name, migration]) => name + migration.up.toString());
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

async function asAdmin(databaseUrl: string, work: (client: Client) => Promise<void>): Promise<void> {
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
