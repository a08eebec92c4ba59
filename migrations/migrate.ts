import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { SchemaTooNewError } from '../core/errors';
import { callback, flag } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { liftLimits, restoreLimits } from '../store/archive/limits';
import { openStore, type PostgresOptions, type Store, storeOn } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import { readApplied, readOldestProgram } from './applied';
import { applyMigration } from './apply';
import { Holders } from './holders';
import type { LedgerMigration } from './migration';
import type { MigrationRun } from './patience';
import { migrations, versionOf } from './record';

/** The database to migrate, and the function that is informed of the progress. */
export interface MigrateOptions extends PostgresOptions {
  /**
   * Is called with sentences that say what the migration does, and which session blocks it. @default nobody is informed
   */
  onProgress?: (sentence: string) => void;
  /** The longest wait for a statement; 0 waits for ever. @default 0 */
  queryTimeoutMilliseconds?: number;
  /**
   * Migrate although a live trigger is too old for the new schema; that trigger then stops by itself. @default false
   */
  force?: boolean | undefined;
}

const migrateOptions = z.strictObject({
  ...POSTGRES_FIELDS,
  onProgress: callback.optional(),
  force: flag.optional(),
} satisfies FieldsOf<MigrateOptions>);

/**
 * The pause between two checks whether another run is over. The check polls instead of waiting for a lock, since a
 * waiting session would block the index builds of the other run.
 */
const TURN_PAUSE_MILLISECONDS = 100;

/**
 * Bring a database to this program's schema while triggers continue to fire. Only one run works at a time, so several
 * deploys may call it at once. While a migration waits for a lock, other sessions wait behind it for at most a tenth of
 * a second; then it lets them pass and tries again. After an interruption, the next call continues where the
 * interrupted one ended. If a newer program migrated the schema and the schema still allows this program, the schema
 * stays as it is.
 *
 * @returns names of the migrations that this call applied, in order
 * @throws {InvalidOptionError} for an unknown or invalid option; nothing was changed
 * @throws {PostgresUnreachableError} when Postgres does not answer
 * @throws {SchemaTooNewError} when a newer program migrated the schema so that this program cannot use it; nothing was
 * changed
 * @throws {SchemaInUseError} when a migration would break a live trigger; the migrations before it were applied
 * @see `docs/upgrading.md`
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  checkOptions(migrateOptions, options);
  return migrateBy(migrations, options);
}

/** Like {@link migrate}, with another list of migrations. */
export async function migrateBy(
  record: (schema: string) => Record<string, LedgerMigration>,
  { onProgress = () => {}, force = false, ...options }: MigrateOptions,
): Promise<string[]> {
  const { queryTimeoutMilliseconds = 0 } = options;
  const pool = openStore({ ...options, queryTimeoutMilliseconds }, { bounded: false });
  try {
    return await pool.db.connection().execute(async (connection) => {
      const store = storeOn(connection, pool.schema);
      // An index build may take any time.
      const limits = await liftLimits(store);
      await takeTurn(store, onProgress);
      try {
        const run = { store, onProgress, force, holders: await holdersOf(store, pool, onProgress) };
        return await applyAll(run, record(store.schema));
      } finally {
        // A lost session has no lock. Its error would hide the one that the caller must see.
        await sql`select pg_advisory_unlock(hashtext(${lockName(store)}))`.execute(store.db).catch(() => undefined);
        await restoreLimits(store, limits).catch(() => undefined);
      }
    });
  } finally {
    await pool.close();
  }
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
    if (polls === 0) onProgress(`Another run is migrating schema '${store.schema}'; this one continues when it ends.`);
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
