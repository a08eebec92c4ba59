import { buildIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds an index of the firings that wait for others. Each claim asks whether one waits: without the
 * index, it reads all open firings of a schedule that lets many run side by side.
 */
export function buffered(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [buildIndex('firings_buffered', 'firings', `(schedule_id, scheduled_time) where state = 'buffered'`)],
  };
}
