import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/**
 * This migration adds a tenant's limits, and how much of this hour's quota the tenant has used. The use is in a table
 * of its own, since triggers lock its rows and people do not.
 */
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
