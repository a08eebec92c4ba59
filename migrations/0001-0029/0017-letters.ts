import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration gives each failure its own letter, so that a firing may have several letters. Older programs write
 * their letters into `dead_letters`, where a unique index allows one unsettled letter per firing. So new letters go
 * into a table that inherits from `dead_letters`. All programs read, redrive and settle the letters of both tables
 * through `dead_letters`.
 */
export function letters(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${name('dead_letters')}
        add column workflow_type text, add column resume_until timestamptz(3)`),
      buildIndex('dead_letters_firing', 'dead_letters', '(schedule_id, scheduled_time)'),
      step(
        sql`create table ${name('letters')} (primary key (letter_id)) inherits (${name('dead_letters')})`,
        sql`create index letters_firing on ${name('letters')} (schedule_id, scheduled_time)`,
        sql`create index letters_time on ${name('letters')} (state, created_at, letter_id)`,
        sql`create index letters_open on ${name('letters')} (schedule_id, scheduled_time)
          where state in ('open', 'redriving')`,
        // If Postgres' answer was lost, the same step is parked a second time, and must keep its letter.
        sql`create unique index letters_burial on ${name('letters')} (schedule_id, scheduled_time, epoch,
          (failed_step ->> 'runId'), ((failed_step ->> 'burial')::int)) where failed_step ->> 'burial' is not null`,
      ),
    ],
  };
}
