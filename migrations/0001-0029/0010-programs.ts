import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function programs(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      // The three columns are null for triggers of older versions, which do not write them.
      step(sql`alter table ${sql.id(schema, 'triggers')}
        add column schema_version int, add column tz text, add column icu text`),
    ],
  };
}
