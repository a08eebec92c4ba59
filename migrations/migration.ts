import type { RawBuilder } from 'kysely';

/** One change of the schema. Its steps run in order, and a finished step is not repeated. */
export interface LedgerMigration {
  /** The schema version of the oldest program that still works after this migration. */
  oldestProgram: number;
  /** The steps, in order. */
  steps: Step[];
}

/** One part of a migration. A part is either done completely or, after an interruption, done again or continued. */
export type Step = TransactionStep | BuildIndexStep | DropIndexStep;

/**
 * Statements that take effect together. A new step should wait for readers or writers of one table only. A step that
 * waits for two tables holds the first lock while it waits for the second.
 */
export interface TransactionStep {
  /** The statements, in order. */
  statements: RawBuilder<unknown>[];
}

/** An index that is built without blocking writes, if its table has rows. */
export interface BuildIndexStep {
  /** The name of the index, without the schema. */
  buildIndex: string;
  /** The table of the index. */
  table: string;
  /** Whether the index is unique. */
  unique: boolean;
  /** The text after the table in `create index`. */
  definition: string;
}

/** An index that is dropped without blocking readers or writers. Its table must not be partitioned. */
export interface DropIndexStep {
  /** The name of the index, without the schema. */
  dropIndex: string;
}

/**
 * A step with statements in one transaction. The step waits for each lock for at most 100 ms, since other sessions wait
 * behind it. After a timeout the step pauses, and tries again.
 */
export function step(...statements: RawBuilder<unknown>[]): TransactionStep {
  return { statements };
}

/**
 * A step that builds an index on a table of the ledger: concurrently if the table has rows, and month by month on a
 * partitioned table.
 *
 * @param definition the text after the table in `create index`, such as `(note) where paused`
 */
export function buildIndex(name: string, table: string, definition: string, { unique = false } = {}): BuildIndexStep {
  return { buildIndex: name, table, definition, unique };
}

/** A step that drops an index of a table that is not partitioned, without blocking readers or writers. */
export function dropIndex(name: string): DropIndexStep {
  return { dropIndex: name };
}
