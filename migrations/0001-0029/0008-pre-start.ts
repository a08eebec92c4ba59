import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/**
 * This migration adds firings that are handed to Temporal ahead of time. Programs older than this migration would start
 * such firings early.
 */
export function preStart(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(sql`alter table ${name('firings')} add column starts_at timestamptz(3)`),
      step(lagFrom(sql`case when linked_at is not null then greatest(linked_at, starts_at) end`)),
    ],
  };

  /** The view `ledger` as before, except that the lag ends when the firing's workflow could begin. */
  function lagFrom(begins: ReturnType<typeof sql>) {
    return sql`create or replace view ${name('ledger')} as
      select schedule_id, scheduled_time as from_time, scheduled_time as to_time, 1::bigint as count, state, outcome, reason,
        kind, actor, workflow_id, run_id, start_attempts, recovery, stalled, ${begins} - scheduled_time as lag,
        claimed_at as recorded_at, linked_at, closed_at
      from ${name('firings')}
      union all
      select g.schedule_id, g.from_time, g.to_time, g.count - f.count, 'gap', null, g.reason,
        null, null, null, null, 0, null, null, null, g.recorded_at, null, null
      from ${name('gaps')} g cross join lateral (
        select count(*) from ${name('firings')} f where f.schedule_id = g.schedule_id and f.kind <> 'manual'
          and f.scheduled_time between g.from_time and g.to_time) f
      where g.count > f.count`;
  }
}
