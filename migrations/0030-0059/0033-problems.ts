import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds problems with Postgres and hosts, which each trigger reports with its heartbeat. It also adds
 * indexes for alerts: for manual starts, and for timers that nothing would wake.
 */
export function problems(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${sql.id(schema, 'triggers')} add column problems jsonb`),
      buildIndex('firings_manual', 'firings', `(scheduled_time) where kind = 'manual'`),
      buildIndex(
        'timers_forgotten',
        'timers',
        `(schedule_id) where next_fire_at is null and completed_at is null and wake_at = 'infinity'`,
      ),
    ],
  };
}
