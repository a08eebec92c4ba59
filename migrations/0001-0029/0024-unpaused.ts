import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** Since when a paused schedule fires again, and who unpaused it. Null if an older version did it. */
export function unpaused(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'schedules')}
        add column unpaused_at timestamptz(3), add column unpaused_by text`),
    ],
  };
}
