import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** What each running trigger is: which schema it is made for, and by which time zone data it computes occurrences. */
export function programs(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      // Null of a trigger of a version before, which does not write them.
      step(sql`alter table ${sql.id(schema, 'triggers')}
        add column schema_version int, add column tz text, add column icu text`),
    ],
  };
}
