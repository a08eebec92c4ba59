import { buildIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds an index of failures in the order of time. Without it, the lists of failing schedules found no
 * failure among many skipped firings. It also adds indexes of letters in the order in which they were written. Alerts
 * and `doctor` use these to read letters in pages.
 */
export function failures(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      buildIndex(
        'firings_failed',
        'firings',
        `(scheduled_time, schedule_id) where outcome in ('failed', 'timed_out') or state = 'abandoned'`,
      ),
      buildIndex('dead_letters_written', 'dead_letters', '(created_at, letter_id)'),
      buildIndex('letters_written', 'letters', '(created_at, letter_id)'),
    ],
  };
}
