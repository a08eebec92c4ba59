import { buildIndex, type LedgerMigration } from './migration';

/** Whether any schedule has a deadline, which alerts ask each few seconds. */
export function alertRules(): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      buildIndex(
        'schedule_versions_deadline',
        'schedule_versions',
        `(schedule_id) where policies -> 'alerts' ? 'notDone'`,
      ),
    ],
  };
}
