import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/** What an operator allows a tenant, and what it has used of this hour: a row of its own, since triggers lock it and people do not. */
export function tenants(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('tenants')} (
          tenant text primary key,
          namespaces text[],
          task_queues text[],
          schedules int,
          firings_per_hour int,
          actor text not null,
          updated_at timestamptz(3) not null)`,
        sql`create table ${name('tenant_hours')} (
          tenant text primary key,
          hour timestamptz(3) not null,
          firings int not null) with (fillfactor = 50)`,
      ),
    ],
  };
}
