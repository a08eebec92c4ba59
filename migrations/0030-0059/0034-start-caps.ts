import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** This migration adds the caps on starts of each trigger, so that people see them before they hold any start back. */
export function keptCaps(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [step(sql`alter table ${sql.id(schema, 'triggers')} add column start_caps jsonb`)],
  };
}
