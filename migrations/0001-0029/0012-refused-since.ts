import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** This migration adds the time since which the start of a claim fails although its namespace answers. */
export function refusedSince(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [step(sql`alter table ${sql.id(schema, 'firings')} add column refused_since timestamptz(3)`)],
  };
}
