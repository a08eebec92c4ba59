import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** This migration adds the caps that hold starts back, as each trigger reports them with its heartbeat. */
export function startCaps(schema: string): LedgerMigration {
  return { oldestProgram: 8, steps: [step(sql`alter table ${sql.id(schema, 'triggers')} add column caps jsonb`)] };
}
