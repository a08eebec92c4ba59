import { buildIndex, type LedgerMigration } from '../migration';

/** Gaps in the order in which they were written, so that the oldest are found to be let go. */
export function gapsRecorded(): LedgerMigration {
  return { oldestProgram: 8, steps: [buildIndex('gaps_recorded', 'gaps', '(recorded_at)')] };
}
