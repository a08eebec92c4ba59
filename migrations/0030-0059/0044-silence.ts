import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

export function silence(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'schedules')}
        add column owner text, add column runbook text, add column paused_until timestamptz(3)`),
      buildIndex('schedules_owner', 'schedules', '(owner) where owner is not null'),
    ],
  };
}
