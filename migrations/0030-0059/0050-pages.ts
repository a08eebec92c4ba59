import { buildIndex, type LedgerMigration } from '../migration';

/** This migration adds an index for the dashboard: which schedules were completed since the last read. */
export function pages(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [buildIndex('timers_completed', 'timers', '(completed_at) where completed_at is not null')],
  };
}
