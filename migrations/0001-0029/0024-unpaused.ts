import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** Since when a schedule that was paused fires again, and who unpaused it. Null of what an older version did. */
export function unpaused(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'schedules')}
        add column unpaused_at timestamptz(3), add column unpaused_by text`),
    ],
  };
}
