import { buildIndex, type LedgerMigration } from '../migration';

/** This migration adds an index of open letters by kind, since the metrics count them. */
export function openLetters(): LedgerMigration {
  const definition = `(kind, created_at) where state = 'open'`;
  return {
    oldestProgram: 8,
    steps: [
      buildIndex('dead_letters_kinds', 'dead_letters', definition),
      buildIndex('letters_kinds', 'letters', definition),
    ],
  };
}
