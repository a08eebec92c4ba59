import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** The new columns are null if an older version made the change. */
export function since(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'schedules')}
        add column paused_at timestamptz(3), add column paused_by text, add column set_aside_at timestamptz(3)`),
      step(sql`alter table ${sql.id(schema, 'timers')}
        add column completed_at timestamptz(3), add column completed_by text`),
    ],
  };
}
