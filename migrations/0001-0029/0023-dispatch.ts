import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';
import { takeWaiting } from '../take-waiting';

/**
 * With this migration, a claimed firing belongs to no trigger until its start is announced. Claims that an older
 * program wrote have no task queue: dispatch ignores them, and recovery starts them.
 */
export function dispatch(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${name('firings')} add column tenant text, add column task_queue text, add column late boolean,
        add column ready_at timestamptz(3)`),
      step(sql`alter table ${name('triggers')} add column away jsonb`),
      buildIndex(
        'firings_waiting',
        'firings',
        `(namespace, late, tenant, task_queue, ready_at, scheduled_time, schedule_id)
          where state = 'claimed' and owner is null and first_attempted_at is null and task_queue is not null`,
      ),
      step(takeWaiting(schema)),
    ],
  };
}
