import { buildIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds an index of gaps in the order in which they were written, which finds the oldest for deletion.
 */
export function gapsRecorded(): LedgerMigration {
  return { oldestProgram: 8, steps: [buildIndex('gaps_recorded', 'gaps', '(recorded_at)')] };
}
