import type { RawBuilder } from 'kysely';

/** One change of the schema: its steps run in order, and what was done is not done again. */
export interface LedgerMigration {
  /** Schema version of the oldest program that goes on working on what this leaves. */
  oldestProgram: number;
  /** What it does, in order. */
  steps: Step[];
}

/** One part of a migration. It is done whole or, after a kill, done again. */
export type Step = TransactionStep | BuildIndexStep | DropIndexStep;

/** Statements that take effect together. At most one of them may need a lock that readers or writers hold off. */
export interface TransactionStep {
  /** In order. */
  statements: RawBuilder<unknown>[];
}

/** An index whose build lets writes pass. */
export interface BuildIndexStep {
  /** Its name, without the schema. */
  buildIndex: string;
  /** The table that it is of. */
  table: string;
  /** Whether it lets no two rows be the same in it. */
  unique: boolean;
  /** What follows the table in `create index`. */
  definition: string;
}

/** An index that goes without a lock on its table. Not one of a partitioned table. */
export interface DropIndexStep {
  /** Its name, without the schema. */
  dropIndex: string;
}

/** Statements in one transaction. It waits for a lock only for as long as those behind it may wait, and tries again. */
export function step(...statements: RawBuilder<unknown>[]): TransactionStep {
  return { statements };
}

/**
 * An index of one of the ledger's tables: concurrently where rows exist, and of a partitioned table month by month.
 *
 * @param definition what follows the table in `create index`, such as `(note) where paused`
 */
export function buildIndex(name: string, table: string, definition: string, { unique = false } = {}): BuildIndexStep {
  return { buildIndex: name, table, definition, unique };
}

/** Drop an index of a table that is not partitioned, concurrently. */
export function dropIndex(name: string): DropIndexStep {
  return { dropIndex: name };
}
