import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function labels(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      // Labels do not belong to a version, since they do not affect firings.
      step(sql`alter table ${name('schedules')} add column memo jsonb, add column search_attributes jsonb`),
    ],
  };
}
