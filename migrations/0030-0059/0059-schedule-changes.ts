import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds which transaction last changed a schedule, and which last erased schedules. A reader that knows
 * all schedules then uses an index to find what changed since its last read.
 */
export function scheduleChanges(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      // The default is added after the column, so that rows that exist already keep null.
      step(sql`alter table ${name('schedules')} add column changed xid8`),
      step(sql`alter table ${name('schedules')} alter column changed set default pg_current_xact_id()`),
      step(sql`create trigger schedules_changed before update on ${name('schedules')} for each row
        execute function ${name('note_change')}()`),
      buildIndex('schedules_changed', 'schedules', '(changed) where changed is not null'),
      step(sql`create function ${name('note_erasure')}() returns trigger language plpgsql as $$
        begin
          insert into ${name('meta')} (key, value) values ('schedules_erased_by', to_jsonb(pg_current_xact_id()::text))
            on conflict (key) do update set value = excluded.value;
          return null;
        end $$`),
      step(sql`create trigger schedules_erased after delete on ${name('schedules')} for each statement
        execute function ${name('note_erasure')}()`),
    ],
  };
}
