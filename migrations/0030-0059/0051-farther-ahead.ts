import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds how far ahead a schedule may be handed over, in milliseconds; null for the trigger's own cap. A
 * program of the previous version does not write this value, and hands such a schedule over within its own cap.
 */
export function fartherAhead(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'timers')} add column pre_start int`),
      // This index is nearly always empty: beyond the cap, a poll reads it to find only the schedules that allow it.
      buildIndex('timers_ahead', 'timers', '(wake_at, schedule_id) where pre_start is not null'),
    ],
  };
}
