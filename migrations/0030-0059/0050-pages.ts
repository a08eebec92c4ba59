import { buildIndex, type LedgerMigration } from '../migration';

/** What pages read by: which schedules were completed since they were read. */
export function pages(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [buildIndex('timers_completed', 'timers', '(completed_at) where completed_at is not null')],
  };
}
