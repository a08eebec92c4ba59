import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds how far ahead a schedule may be handed over, in milliseconds. Null means the trigger's own cap.
 * An older program does not know this column, and hands over within its own cap.
 */
export function fartherAhead(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'timers')} add column pre_start int`),
      // With this index, a trigger finds the schedules that have a value of their own.
      buildIndex('timers_ahead', 'timers', '(wake_at, schedule_id) where pre_start is not null'),
    ],
  };
}
