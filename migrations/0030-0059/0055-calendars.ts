import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds named calendars of days. A definition that names a calendar also contains its days, so triggers
 * read nothing from this table. A trigger of an older version ignores schedules with calendar days.
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
      // A change of a calendar uses this index to find the schedules that name the calendar.
      buildIndex('timers_with_days', 'timers', '(schedule_id) where spec_format >= 3'),
    ],
  };
}
