import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function freezes(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('freezes')} (
          freeze_id uuid primary key,
          tenant text,
          source text,
          query text,
          schedule_ids text[],
          from_time timestamptz(3) not null,
          to_time timestamptz(3) not null,
          catch_up text not null,
          note text,
          actor text not null,
          created_at timestamptz(3) not null,
          ended_at timestamptz(3),
          ended_by text)`,
        sql`create index freezes_to on ${name('freezes')} (to_time)`,
      ),
      step(sql`alter table ${name('gaps')} add column freeze_id uuid`),
    ],
  };
}
