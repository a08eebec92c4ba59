import { type Migration, sql } from 'kysely';

/** Interrupts of running chains, chains that stall, closed ones that may be reset, and dead letters. */
export function firingLife(schema: string): Migration {
  const name = (table: string) => sql.id(schema, table);
  return {
    async up(db) {
      await sql`alter table ${name('firings')}
        add column interrupt text check (interrupt in ('cancel', 'terminate')),
        add column interrupt_at timestamptz(3),
        add column interrupted_at timestamptz(3),
        add column stalled text`.execute(db);
      // What is to be interrupted and has not been.
      await sql`create index firings_interrupt on ${name('firings')} (interrupt_at, scheduled_time, schedule_id)
        where state = 'linked' and interrupt_at is not null and interrupted_at is null`.execute(db);
      // Ended chains that a person may reset, looked at now and then.
      await sql`create index firings_reset on ${name('firings')} (check_at, scheduled_time, schedule_id)
        where state = 'closed' and check_at is not null`.execute(db);

      // Firings that need a person. No payloads: they stay in Temporal.
      await sql`create table ${name('dead_letters')} (
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
        updated_at timestamptz(3) not null)`.execute(db);
      // One open letter per firing.
      await sql`create unique index dead_letters_open on ${name('dead_letters')} (schedule_id, scheduled_time)
        where state in ('open', 'redriving')`.execute(db);
      await sql`create index dead_letters_time on ${name('dead_letters')} (state, created_at, letter_id)`.execute(db);

      await sql`update ${name('meta')} set value = '{"version": 2, "oldestProgram": 1}' where key = 'schema'`.execute(
        db,
      );
    },
    async down(db) {
      await sql`drop table ${name('dead_letters')}`.execute(db);
      await sql`alter table ${name('firings')} drop column interrupt, drop column interrupt_at, drop column interrupted_at,
        drop column stalled`.execute(db);
      await sql`update ${name('meta')} set value = '{"version": 1, "oldestProgram": 1}' where key = 'schema'`.execute(
        db,
      );
    },
  };
}
