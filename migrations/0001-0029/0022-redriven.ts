import { buildIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds an index of redriven letters by their last change: the pace of a bulk redrive counts recent
 * redrives.
 */
export function redriven(): LedgerMigration {
  const definition = '(updated_at) where redrive is not null';
  return {
    oldestProgram: 8,
    steps: [
      buildIndex('dead_letters_redriven', 'dead_letters', definition),
      buildIndex('letters_redriven', 'letters', definition),
    ],
  };
}
