import { buildIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds an index of the periods in which freezes hold. Each claim asks for the freezes that hold at its
 * time. Without the index, the claim also reads planned freezes, and those that ended long before their planned end.
 */
export function freezesHeld(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      buildIndex(
        'freezes_held',
        'freezes',
        'using gist (tstzrange(from_time, greatest(from_time, least(to_time, ended_at))))',
      ),
    ],
  };
}
