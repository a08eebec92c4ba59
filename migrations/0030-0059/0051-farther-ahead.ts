import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds how far ahead a schedule may be handed over, in milliseconds. Null means the trigger's own cap.
 * An older program does not know the column `pre_start`, and hands over within its own cap.
 */
export function fartherAhead(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'timers')} add column pre_start int`),
      // With `timers_ahead`, a trigger finds the timers that have a `pre_start`.
      buildIndex('timers_ahead', 'timers', '(wake_at, schedule_id) where pre_start is not null'),
    ],
  };
}
