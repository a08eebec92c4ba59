import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function archives(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${sql.id(schema, 'archives')} (
          archive_id uuid primary key,
          place text not null,
          name text not null,
          month date not null,
          table_oid bigint not null,
          firings bigint not null,
          gaps bigint not null,
          letters bigint not null,
          archived_at timestamptz(3) not null,
          dropped_at timestamptz(3))`,
        sql`create unique index archives_table on ${sql.id(schema, 'archives')} (table_oid, place)`,
      ),
    ],
  };
}
