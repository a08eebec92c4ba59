import { type Migration, sql } from 'kysely';

/** What declares schedules in code: finding those of one source. */
export function sources(schema: string): Migration {
  return {
    async up(db) {
      await sql`create index schedules_source on ${sql.id(schema, 'schedules')} (source, schedule_id)
        where source is not null and deleted_at is null`.execute(db);
      await sql`update ${sql.id(schema, 'meta')} set value = '{"version": 6, "oldestProgram": 1}' where key = 'schema'`.execute(
        db,
      );
    },
    async down(db) {
      await sql`drop index ${sql.id(schema, 'schedules_source')}`.execute(db);
      await sql`update ${sql.id(schema, 'meta')} set value = '{"version": 5, "oldestProgram": 1}' where key = 'schema'`.execute(
        db,
      );
    },
  };
}
