import { sql } from 'kysely';
import { SchemaNotMigratedError, SchemaTooNewError } from '../core/errors';
import { SCHEMA_VERSION } from '../migrations/record';
import type { Store } from './connection';
import { migrateCommand } from './postgres-errors';

export interface Installation {
  /** The UUID of this ledger, which is the UUID namespace for the request IDs of starts. */
  installationId: string;
}

/** The state of the schema, as `meta` stores it. */
export interface SchemaState {
  /** The number of the last migration of the schema. */
  version: number;
  /** The schema version of the oldest program that works on the schema. */
  oldestProgram: number;
}

/** The error for a program that is too old for the schema; undefined if the program is new enough. */
export function leftBehind(store: Store, { version, oldestProgram }: SchemaState): SchemaTooNewError | undefined {
  if (oldestProgram <= SCHEMA_VERSION) return undefined;
  return new SchemaTooNewError(
    `schema '${store.schema}' is at version ${version}, for programs of schema version ${oldestProgram} or newer, and this one is of ${SCHEMA_VERSION}; upgrade the escapement package`,
  );
}

/**
 * Check that this program fits the schema, and read the ledger's identity.
 *
 * @throws {SchemaNotMigratedError} when there is no schema, or an older one
 * @throws {SchemaTooNewError} when a newer program migrated the schema, so that this program can no longer use it
 */
export async function checkSchema(store: Store): Promise<Installation> {
  const { rows } = await sql<{ key: string; value: unknown }>`
    select key, value from ${store.table('meta')} where key in ('schema', 'installation')`.execute(store.db);
  const meta = new Map(rows.map((row) => [row.key, row.value]));
  const state: SchemaState = { version: 0, oldestProgram: 0, ...(meta.get('schema') as Partial<SchemaState>) };
  const { version } = state;
  if (version < SCHEMA_VERSION) {
    throw new SchemaNotMigratedError(
      `schema '${store.schema}' is at version ${version} and this program needs ${SCHEMA_VERSION}; run '${migrateCommand(store.schema)}' first`,
    );
  }
  const left = leftBehind(store, state);
  if (left) throw left;
  return { installationId: meta.get('installation') as string };
}
