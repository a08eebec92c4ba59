import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * Named calendars of days. The definitions that name a calendar also contain its days, so triggers read nothing of this.
 * A trigger of the previous version ignores schedules of the new form.
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
      // A change of a calendar searches the schedules that name it, which are nearly always few.
      buildIndex('timers_with_days', 'timers', '(schedule_id) where spec_format >= 3'),
    ],
  };
}
