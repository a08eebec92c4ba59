import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

export function externalId(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'schedules')} add column external_id text`),
      buildIndex(
        'schedules_external_id',
        'schedules',
        '(tenant, external_id) where external_id is not null and deleted_at is null',
        { unique: true },
      ),
    ],
  };
}
