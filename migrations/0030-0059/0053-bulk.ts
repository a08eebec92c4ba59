import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function bulk(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('bulk_operations')} (
          operation_id uuid primary key,
          kind text not null,
          undoes uuid,
          tenant text,
          actor text not null,
          token text,
          filter jsonb not null,
          change jsonb not null,
          per_second real,
          total int not null,
          created_at timestamptz(3) not null,
          leased_by uuid,
          leased_until timestamptz(3),
          cancelled_by text,
          ended_at timestamptz(3))`,
        sql`create index bulk_operations_created on ${name('bulk_operations')} (created_at)`,
        sql`create index bulk_operations_open on ${name('bulk_operations')} (created_at) where ended_at is null`,
        sql`create unique index bulk_operations_undoes on ${name('bulk_operations')} (undoes)
          where undoes is not null and cancelled_by is null`,
        sql`create table ${name('bulk_schedules')} (
          operation_id uuid not null references ${name('bulk_operations')} on delete cascade,
          schedule_id text not null,
          outcome text,
          error text,
          before jsonb,
          after jsonb,
          primary key (operation_id, schedule_id))`,
        sql`create index bulk_schedules_open on ${name('bulk_schedules')} (operation_id, schedule_id) where outcome is null`,
        sql`create index bulk_schedules_schedule on ${name('bulk_schedules')} (schedule_id)`,
      ),
    ],
  };
}
