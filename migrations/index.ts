/**
 * Creates and upgrades the schema of a ledger.
 *
 * @packageDocumentation
 */

export { type MigrateOptions, migrate } from './migrate';
export type { BuildIndexStep, DropIndexStep, LedgerMigration, Step, TransactionStep } from './migration';
export { migrations, SCHEMA_VERSION } from './record';
export { migrationStatements } from './statements';
