import { buildIndex, type LedgerMigration } from '../migration';

/** This migration adds an index by which the schedules of one source are found. */
export function sources(): LedgerMigration {
  return {
    oldestProgram: 1,
    steps: [
      buildIndex(
        'schedules_source',
        'schedules',
        '(source, schedule_id) where source is not null and deleted_at is null',
      ),
    ],
  };
}
