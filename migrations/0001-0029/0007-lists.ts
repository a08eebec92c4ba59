import { buildIndex, dropIndex, type LedgerMigration } from '../migration';

/** Indexes behind the lists of schedules and firings: a page costs the same wherever it lies. */
export function lists(): LedgerMigration {
  return {
    oldestProgram: 1,
    steps: [
      // The order of the next fire times; those without one come last.
      buildIndex('timers_next', 'timers', `(next_fire_at, schedule_id)`),
      // Deleted ones too: their firings are still listed by tenant.
      buildIndex('schedules_of_tenant', 'schedules', `(tenant, schedule_id)`),
      dropIndex('schedules_tenant'),
      // The former one has no deleted schedules, whose firings are listed by source too.
      dropIndex('schedules_source'),
      buildIndex('schedules_of_source', 'schedules', `(source, schedule_id) where source is not null`),
      buildIndex('schedules_paused', 'schedules', `(schedule_id) where paused and deleted_at is null`),
      buildIndex('versions_of_task_queue', 'schedule_versions', `((action ->> 'taskQueue'), schedule_id)`),
      buildIndex('versions_of_type', 'schedule_versions', `((action ->> 'workflowType'), schedule_id)`),
      buildIndex('versions_of_namespace', 'schedule_versions', `(namespace, schedule_id)`),

      // The order of time over all schedules. Only of what is at rest: a firing is written once into it, not at each of the
      // four changes of its life. What is on its way is little, and is sorted.
      buildIndex(
        'firings_at_rest',
        'firings',
        `(scheduled_time, schedule_id) where state in ('buffered', 'closed', 'skipped', 'abandoned')`,
      ),
      // What people search for among a great many that went well.
      buildIndex(
        'firings_unusual',
        'firings',
        `(scheduled_time, schedule_id) where kind <> 'schedule' or state in ('skipped', 'abandoned') or outcome in ('failed', 'timed_out', 'canceled', 'terminated', 'unknown')`,
      ),
    ],
  };
}
