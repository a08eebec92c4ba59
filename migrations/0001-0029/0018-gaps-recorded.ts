import { buildIndex, type LedgerMigration } from '../migration';

/** Gaps in the order in which they were written, to find the oldest for deletion. */
export function gapsRecorded(): LedgerMigration {
  return { oldestProgram: 8, steps: [buildIndex('gaps_recorded', 'gaps', '(recorded_at)')] };
}
