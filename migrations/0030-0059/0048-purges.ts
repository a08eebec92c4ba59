import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** This migration adds a record of each purge, with the names of erased schedules and tenants only as hashes. */
export function purges(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`create table ${sql.id(schema, 'purges')} (
        purge_id uuid primary key,
        kind text not null check (kind in ('schedule', 'tenant')),
        subject_hash text not null,
        actor text not null,
        forced bool not null,
        schedules bigint not null default 0,
        counts jsonb not null default '{}',
        began_at timestamptz(3) not null,
        ended_at timestamptz(3))`),
    ],
  };
}
