import { buildIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds an index of buffered firings. Each claim asks whether a schedule has one. Without the index, the
 * claim reads all open firings of a schedule that lets many run side by side.
 */
export function buffered(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [buildIndex('firings_buffered', 'firings', `(schedule_id, scheduled_time) where state = 'buffered'`)],
  };
}
