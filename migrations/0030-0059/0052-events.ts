import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds which transaction last changed a firing or an alert in a way that readers follow, such as a new
 * state. With this column, readers find what changed since their last read, in whichever order the transactions
 * committed. A row that was written before this migration is followed from its next such change on.
 */
export function events(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  // The default is added after the column, so that rows that exist already keep null.
  const noted = (table: string) => [
    step(sql`alter table ${name(table)} add column changed xid8`),
    step(sql`alter table ${name(table)} alter column changed set default pg_current_xact_id()`),
  ];
  return {
    oldestProgram: 8,
    steps: [
      ...noted('firings'),
      ...noted('alerts'),
      step(sql`create function ${name('note_change')}() returns trigger language plpgsql as $$
        begin
          new.changed := pg_current_xact_id();
          return new;
        end $$`),
      step(sql`create trigger firings_changed before update on ${name('firings')} for each row
        when (old.state is distinct from new.state or old.outcome is distinct from new.outcome or old.run_id is distinct from new.run_id
          or old.stalled is distinct from new.stalled or old.recovery is distinct from new.recovery)
        execute function ${name('note_change')}()`),
      step(sql`create trigger alerts_changed before update on ${name('alerts')} for each row
        when (old.resolved_at is distinct from new.resolved_at or old.acknowledged_at is distinct from new.acknowledged_at
          or old.summary_id is distinct from new.summary_id or old.count <> new.count)
        execute function ${name('note_change')}()`),
      // `firings_changed` has only the transaction. Rows of a batch have the same transaction, and equal index entries
      // share space.
      buildIndex('firings_changed', 'firings', '(changed) where changed is not null'),
      buildIndex('alerts_changed', 'alerts', '(changed) where changed is not null'),
    ],
  };
}
