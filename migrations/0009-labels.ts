import { type Migration, sql } from 'kysely';

/** What is noted of a schedule itself: its memo and its search attributes. */
export function labels(schema: string): Migration {
  const name = (table: string) => sql.id(schema, table);
  return {
    async up(db) {
      // Not of a version: they say nothing of when or what it fires.
      await sql`alter table ${name('schedules')} add column memo jsonb, add column search_attributes jsonb`.execute(db);
      await sql`update ${name('meta')} set value = '{"version": 9, "oldestProgram": 8}' where key = 'schema'`.execute(
        db,
      );
    },
    async down(db) {
      await sql`alter table ${name('schedules')} drop column memo, drop column search_attributes`.execute(db);
      await sql`update ${name('meta')} set value = '{"version": 8, "oldestProgram": 8}' where key = 'schema'`.execute(
        db,
      );
    },
  };
}
