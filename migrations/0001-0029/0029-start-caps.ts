import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function startCaps(schema: string): LedgerMigration {
  return { oldestProgram: 8, steps: [step(sql`alter table ${sql.id(schema, 'triggers')} add column caps jsonb`)] };
}
