import { buildIndex, type LedgerMigration } from '../migration';

/** Letters by when they changed last, of those that were ever redriven: the pace of many counts what was carried out just now. */
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
