import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** The new columns are null if an older version unpaused the schedule. */
export function unpaused(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'schedules')}
        add column unpaused_at timestamptz(3), add column unpaused_by text`),
    ],
  };
}
