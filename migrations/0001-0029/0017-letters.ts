import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * A letter for each failure, so that a firing may have several. The version before writes its own into `dead_letters` by the
 * unique index that it knows, one for a firing. So new ones lie in a table that inherits from it: whatever reads, redrives or
 * settles `dead_letters`, of either version, finds both.
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
        // A step that is parked twice, since the answer got lost, keeps its letter.
        sql`create unique index letters_burial on ${name('letters')} (schedule_id, scheduled_time, epoch,
          (failed_step ->> 'runId'), ((failed_step ->> 'burial')::int)) where failed_step ->> 'burial' is not null`,
      ),
    ],
  };
}
