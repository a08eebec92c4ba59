import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * Named calendars of days. The days lie in the definitions that name them too, so that a trigger reads none of this. A trigger of the
 * version before leaves schedules of the new form alone.
 */
export function calendars(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`create table ${sql.id(schema, 'calendars')} (
        tenant text not null,
        name text not null,
        days text not null,
        labels jsonb not null default '{}',
        actor text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, name))`),
      // Whoever changes a calendar looks for schedules that name it: nearly always few of all.
      buildIndex('timers_with_days', 'timers', '(schedule_id) where spec_format >= 3'),
    ],
  };
}
