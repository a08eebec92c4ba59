import { buildIndex, type LedgerMigration } from '../migration';

export function searchAttributes(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      buildIndex(
        'schedules_search_attributes',
        'schedules',
        'using gin (search_attributes) where search_attributes is not null',
      ),
    ],
  };
}
