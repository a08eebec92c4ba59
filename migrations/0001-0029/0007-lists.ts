import { buildIndex, dropIndex, type LedgerMigration } from '../migration';

/**
 * This migration adds indexes for lists of schedules and firings, so that a page is read without the pages before it.
 */
export function lists(): LedgerMigration {
  return {
    oldestProgram: 1,
    steps: [
      // `timers_next` is in the order of the next fire times; schedules without one come last.
      buildIndex('timers_next', 'timers', `(next_fire_at, schedule_id)`),
      // `schedules_of_tenant` includes deleted schedules, since their firings are still listed by tenant.
      buildIndex('schedules_of_tenant', 'schedules', `(tenant, schedule_id)`),
      dropIndex('schedules_tenant'),
      // The index of migration 0006 lacks deleted schedules, whose firings are also listed by source.
      dropIndex('schedules_source'),
      buildIndex('schedules_of_source', 'schedules', `(source, schedule_id) where source is not null`),
      buildIndex('schedules_paused', 'schedules', `(schedule_id) where paused and deleted_at is null`),
      buildIndex('versions_of_task_queue', 'schedule_versions', `((action ->> 'taskQueue'), schedule_id)`),
      buildIndex('versions_of_type', 'schedule_versions', `((action ->> 'workflowType'), schedule_id)`),
      buildIndex('versions_of_namespace', 'schedule_versions', `(namespace, schedule_id)`),

      // `firings_at_rest` has firings in the order of time. The index leaves out claimed and linked firings, so that
      // their changes do not write to it.
      buildIndex(
        'firings_at_rest',
        'firings',
        `(scheduled_time, schedule_id) where state in ('buffered', 'closed', 'skipped', 'abandoned')`,
      ),
      // `firings_unusual` has firings with an unusual kind or result, for which people search.
      buildIndex(
        'firings_unusual',
        'firings',
        `(scheduled_time, schedule_id) where kind <> 'schedule' or state in ('skipped', 'abandoned') or outcome in ('failed', 'timed_out', 'canceled', 'terminated', 'unknown')`,
      ),
    ],
  };
}
