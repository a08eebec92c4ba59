import { buildIndex, type LedgerMigration } from '../migration';

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
