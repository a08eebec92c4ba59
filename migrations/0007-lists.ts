import { type Migration, sql } from 'kysely';

/** Indexes behind the lists of schedules and firings: a page costs the same wherever it lies. */
export function lists(schema: string): Migration {
  const name = (table: string) => sql.id(schema, table);
  return {
    async up(db) {
      // The order of the next fire times; those without one come last.
      await sql`create index timers_next on ${name('timers')} (next_fire_at, schedule_id)`.execute(db);
      // Deleted ones too: their firings are still listed by tenant.
      await sql`create index schedules_of_tenant on ${name('schedules')} (tenant, schedule_id)`.execute(db);
      await sql`drop index ${name('schedules_tenant')}`.execute(db);
      // The former one has no deleted schedules, whose firings are listed by source too.
      await sql`drop index if exists ${name('schedules_source')}`.execute(db);
      await sql`create index schedules_of_source on ${name('schedules')} (source, schedule_id)
        where source is not null`.execute(db);
      await sql`create index schedules_paused on ${name('schedules')} (schedule_id)
        where paused and deleted_at is null`.execute(db);
      const versions = name('schedule_versions');
      await sql`create index versions_of_task_queue on ${versions} ((action ->> 'taskQueue'), schedule_id)`.execute(db);
      await sql`create index versions_of_type on ${versions} ((action ->> 'workflowType'), schedule_id)`.execute(db);
      await sql`create index versions_of_namespace on ${versions} (namespace, schedule_id)`.execute(db);

      // The order of time over all schedules. Only of what is at rest: a firing is written once into it, not at each of the
      // four changes of its life. What is on its way is little, and is sorted.
      await sql`create index firings_at_rest on ${name('firings')} (scheduled_time, schedule_id)
        where state in ('buffered', 'closed', 'skipped', 'abandoned')`.execute(db);
      // What people look for among a great many that went well.
      await sql`create index firings_unusual on ${name('firings')} (scheduled_time, schedule_id)
        where kind <> 'schedule' or state in ('skipped', 'abandoned')
          or outcome in ('failed', 'timed_out', 'canceled', 'terminated', 'unknown')`.execute(db);
      await sql`update ${name('meta')} set value = '{"version": 7, "oldestProgram": 1}' where key = 'schema'`.execute(
        db,
      );
    },
    async down(db) {
      await sql`create index schedules_source on ${name('schedules')} (source, schedule_id)
        where source is not null and deleted_at is null`.execute(db);
      for (const index of ['firings_unusual', 'firings_at_rest', 'versions_of_namespace', 'versions_of_type']) {
        await sql`drop index ${name(index)}`.execute(db);
      }
      for (const index of ['versions_of_task_queue', 'schedules_paused', 'schedules_of_source', 'timers_next']) {
        await sql`drop index ${name(index)}`.execute(db);
      }
      await sql`create index schedules_tenant on ${name('schedules')} (tenant, schedule_id) where deleted_at is null`.execute(
        db,
      );
      await sql`drop index ${name('schedules_of_tenant')}`.execute(db);
      await sql`update ${name('meta')} set value = '{"version": 6, "oldestProgram": 1}' where key = 'schema'`.execute(
        db,
      );
    },
  };
}
