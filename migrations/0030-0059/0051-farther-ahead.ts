import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * How far ahead a schedule lets itself be handed over, in milliseconds; null is as far as the trigger's own cap. A program of the
 * version before writes none, and hands such a schedule over by its own cap.
 */
export function fartherAhead(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'timers')} add column pre_start int`),
      // Nearly always empty: a poll reads it beyond the cap, where only those that ask for it are.
      buildIndex('timers_ahead', 'timers', '(wake_at, schedule_id) where pre_start is not null'),
    ],
  };
}
