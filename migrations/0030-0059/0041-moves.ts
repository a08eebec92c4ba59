import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function moves(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('moves')} (
          schedule_id text primary key,
          namespace text not null,
          state text not null check (state in ('imported', 'cutting_over', 'cut_over', 'rolling_back')),
          fingerprint text not null,
          version int not null,
          stays_paused boolean not null,
          note text,
          at timestamptz(3),
          evidence jsonb,
          take_buffer boolean not null default false,
          buffer timestamptz(3)[],
          actor text not null,
          imported_at timestamptz(3) not null,
          updated_at timestamptz(3) not null)`,
      ),
    ],
  };
}
