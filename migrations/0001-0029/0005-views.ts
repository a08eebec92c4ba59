import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function views(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 1,
    steps: [
      step(
        // A firing takes precedence over the gap around it, so the gap counts only the other occurrences.
        sql`create view ${name('ledger')} as
        select schedule_id, scheduled_time as from_time, scheduled_time as to_time, 1::bigint as count, state, outcome, reason,
          kind, actor, workflow_id, run_id, start_attempts, recovery, stalled, linked_at - scheduled_time as lag,
          claimed_at as recorded_at, linked_at, closed_at
        from ${name('firings')}
        union all
        select g.schedule_id, g.from_time, g.to_time, g.count - f.count, 'gap', null, g.reason,
          null, null, null, null, 0, null, null, null, g.recorded_at, null, null
        from ${name('gaps')} g cross join lateral (
          select count(*) from ${name('firings')} f where f.schedule_id = g.schedule_id and f.kind <> 'manual'
            and f.scheduled_time between g.from_time and g.to_time) f
        where g.count > f.count`,
        sql`create view ${name('stats')} as
        select s.schedule_id, s.tenant, coalesce(f.total, 0) as total, coalesce(f.waiting, 0) as waiting,
          coalesce(f.linked, 0) as linked, coalesce(f.running, 0) as running, coalesce(f.lost, 0) as lost,
          coalesce(f.abandoned, 0) as abandoned, coalesce(f.skipped, 0) as skipped, coalesce(g.missed, 0)::bigint as missed,
          coalesce(f.completed, 0) as completed, coalesce(f.failed, 0) as failed,
          f.completed::float8 / nullif(f.completed + f.failed + f.abandoned, 0) as success_rate,
          coalesce(f.recoveries_attempted, 0) as recoveries_attempted,
          coalesce(f.recoveries_succeeded, 0) as recoveries_succeeded,
          coalesce(f.recoveries_failed, 0) as recoveries_failed
        from ${name('schedules')} s
        left join lateral (
          select count(*) as total,
            count(*) filter (where state = 'buffered') as waiting,
            count(*) filter (where run_id is not null) as linked,
            count(*) filter (where state = 'linked') as running,
            count(*) filter (where state = 'claimed' and check_at < clock_timestamp()) as lost,
            count(*) filter (where state = 'abandoned') as abandoned,
            count(*) filter (where state = 'skipped') as skipped,
            count(*) filter (where outcome = 'completed') as completed,
            count(*) filter (where outcome in ('failed', 'timed_out')) as failed,
            count(*) filter (where recovery is not null) as recoveries_attempted,
            count(*) filter (where recovery is not null and run_id is not null) as recoveries_succeeded,
            count(*) filter (where recovery is not null and state = 'abandoned') as recoveries_failed
          from ${name('firings')} f where f.schedule_id = s.schedule_id) f on true
        left join lateral (
          select sum(count) as missed from ${name('ledger')} l where l.schedule_id = s.schedule_id and l.state = 'gap') g on true`,
      ),
    ],
  };
}
