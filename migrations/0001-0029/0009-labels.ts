import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** What is noted of a schedule itself: its memo and its search attributes. */
export function labels(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      // Not of a version: they say nothing of when or what it fires.
      step(sql`alter table ${name('schedules')} add column memo jsonb, add column search_attributes jsonb`),
    ],
  };
}
