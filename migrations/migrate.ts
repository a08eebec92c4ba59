import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { SchemaTooNewError } from '../core/errors';
import { callback, flag } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { openStore, type PostgresOptions, type Store, storeOn } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import { readApplied, readOldestProgram } from './applied';
import { applyMigration } from './apply';
import { Holders } from './holders';
import type { LedgerMigration } from './migration';
import type { MigrationRun } from './patience';
import { migrations, versionOf } from './record';

/** Where to migrate, and who hears how it goes. */
export interface MigrateOptions extends PostgresOptions {
  /** Told what is done, and who holds it up, in sentences. @default nobody */
  onProgress?: (sentence: string) => void;
  /** Migrate although a trigger is alive that the new schema leaves behind; it stops by itself. @default false */
  force?: boolean | undefined;
}

const migrateOptions = z.strictObject({
  ...POSTGRES_FIELDS,
  onProgress: callback.optional(),
  force: flag.optional(),
} satisfies FieldsOf<MigrateOptions>);

/** Between two polls whether another run is over. Asked for, not waited for: who waits would hold up that run's index builds. */
const TURN_PAUSE_MILLISECONDS = 100;

/**
 * Bring a database to this program's schema while triggers go on firing. One run at a time, so that several deploys may call
 * it at once. It waits for readers as long as it must, and nobody waits behind it for longer than a tenth of a second.
 * What was killed goes on where it was. A schema of a newer program that admits this one is left as it is.
 *
 * @returns names of the migrations that were applied now, in order
 * @throws {InvalidOptionError} for an option that it does not have, or that cannot be; nothing was changed
 * @throws {PostgresUnreachableError} when Postgres does not answer
 * @throws {SchemaTooNewError} when a newer program migrated it beyond what this one works on; nothing was changed
 * @throws {SchemaInUseError} when a migration would leave behind a trigger that is alive; those before it were applied
 * @see `docs/upgrading.md`
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  checkOptions(migrateOptions, options);
  return migrateBy(migrations, options);
}

/** As {@link migrate}, by migrations of which this program's are the first. */
export async function migrateBy(
  record: (schema: string) => Record<string, LedgerMigration>,
  { onProgress = () => {}, force = false, ...options }: MigrateOptions,
): Promise<string[]> {
  const pool = openStore({ queryTimeoutMilliseconds: 0, ...options }, { bounded: false });
  try {
    return await pool.db.connection().execute(async (connection) => {
      const store = storeOn(connection, pool.schema);
      const bounds = await liftBounds(store);
      await takeTurn(store, onProgress);
      try {
        const run = { store, onProgress, force, holders: await holdersOf(store, pool, onProgress) };
        return await applyAll(run, record(store.schema));
      } finally {
        await sql`select pg_advisory_unlock(hashtext(${lockName(store)}))`.execute(store.db);
        await sql`select set_config('lock_timeout', ${bounds.lock}, false), set_config('statement_timeout', ${bounds.statement}, false)`.execute(
          store.db,
        );
      }
    });
  } finally {
    await pool.close();
  }
}

/** An index build takes as long as it takes, whatever this role's sessions begin with. */
async function liftBounds(store: Store): Promise<{ lock: string; statement: string }> {
  const { rows } = await sql<{ lock: string; statement: string }>`
    select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(
    store.db,
  );
  await sql`select set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)`.execute(
    store.db,
  );
  return rows[0]!;
}

async function holdersOf(store: Store, pool: Store, onProgress: MigrationRun['onProgress']): Promise<Holders> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db);
  return new Holders(store, pool, rows[0]!.pid, onProgress);
}

async function takeTurn(store: Store, onProgress: (sentence: string) => void): Promise<void> {
  for (let polls = 0; ; polls++) {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_lock(hashtext(${lockName(store)})) as mine`.execute(store.db);
    if (rows[0]!.mine) return;
    if (polls === 0) onProgress(`Another run is migrating schema '${store.schema}'; this one goes on when it ends.`);
    await setTimeout(TURN_PAUSE_MILLISECONDS);
  }
}

function lockName({ schema }: Store): string {
  return `escapement migrate ${schema}`;
}

async function applyAll(run: MigrationRun, known: Record<string, LedgerMigration>): Promise<string[]> {
  const { store } = run;
  const applied = await readApplied(store);
  const newer = applied.filter((name) => !(name in known));
  const pending = Object.entries(known).filter(([name]) => !applied.includes(name));
  if (newer.length > 0) {
    const oldest = (await readOldestProgram(store)) ?? 0;
    if (pending.length === 0 && oldest <= versionOf(Object.keys(known))) {
      run.onProgress(
        `Schema '${store.schema}' was migrated by a newer program (${newer.join(', ')}) and admits this one.`,
      );
      return [];
    }
    throw new SchemaTooNewError(
      `schema '${store.schema}' was migrated by a newer program (${newer.join(', ')}); upgrade the escapement package`,
    );
  }
  for (const [name, migration] of pending) await applyMigration(run, name, migration);
  return pending.map(([name]) => name);
}
