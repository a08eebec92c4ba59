import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

export function firingLife(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 1,
    steps: [
      step(sql`alter table ${name('firings')}
        add column interrupt text check (interrupt in ('cancel', 'terminate')),
        add column interrupt_at timestamptz(3),
        add column interrupted_at timestamptz(3),
        add column stalled text`),
      buildIndex(
        'firings_interrupt',
        'firings',
        `(interrupt_at, scheduled_time, schedule_id) where state = 'linked' and interrupt_at is not null and interrupted_at is null`,
      ),
      // A trigger polls these ended chains, since a person may reset them.
      buildIndex(
        'firings_reset',
        'firings',
        `(check_at, scheduled_time, schedule_id) where state = 'closed' and check_at is not null`,
      ),

      step(
        sql`create table ${name('dead_letters')} (
        letter_id uuid primary key,
        schedule_id text not null,
        scheduled_time timestamptz(3) not null,
        epoch int not null,
        kind text not null check (kind in ('start', 'workflow', 'parked')),
        state text not null default 'open' check (state in ('open', 'redriving', 'resolved', 'discarded')),
        reason text not null,
        namespace text not null,
        workflow_id text,
        run_id text,
        failed_step jsonb,
        actor text,
        note text,
        redrive jsonb,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null)`,
        // In `dead_letters`, a firing has at most one letter that is open or being redriven.
        sql`create unique index dead_letters_open on ${name('dead_letters')} (schedule_id, scheduled_time)
        where state in ('open', 'redriving')`,
        sql`create index dead_letters_time on ${name('dead_letters')} (state, created_at, letter_id)`,
      ),
    ],
  };
}
