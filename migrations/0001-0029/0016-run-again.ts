import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function runAgain(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [step(sql`alter table ${sql.id(schema, 'firings')} add column again jsonb`)],
  };
}
