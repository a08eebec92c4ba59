import { sql } from 'kysely';
import { type FiringKey, type FiringOutcome, isFailure } from '../../core/firing';
import type { Store } from '../connection';
import { inMonthsOf } from '../firings/keys';
import { skipSome } from '../firings/skip-waiting';
import { instantIn } from '../text';
import { endingPause } from './kept-form';

/**
 * Pause the schedules of failed firings whose current policy `pauseOnFailure` is set. A pause that would end by itself
 * loses its end. The caller holds the schedules' locks. If a schedule was deleted and created again, a firing of the
 * deleted one does not pause the new one. An end that was recorded before a reset was announced does not pause the
 * schedule again, since a person may have unpaused it.
 */
export async function pauseFailed(
  transaction: Store,
  closed: (FiringKey & { outcome: FiringOutcome })[],
  now: Date,
): Promise<string[]> {
  const failed = closed.filter(({ outcome }) => isFailure(outcome));
  if (failed.length === 0) return [];
  const { rows } = await sql<{ scheduleId: string }>`
    with paused as (
      update ${transaction.table('schedules')} s set paused = true, paused_until = null, updated_at = ${now},
        paused_at = case when s.paused_until > ${now} then s.paused_at else ${now}::timestamptz end,
        paused_by = case when s.paused_until > ${now} then s.paused_by end,
        -- Only the times of manual firings have milliseconds.
        note = 'paused: its firing of ' || to_char(x.scheduled_time at time zone 'UTC', case x.scheduled_time
          when date_trunc('second', x.scheduled_time) then 'YYYY-MM-DD"T"HH24:MI:SS"Z"'
          else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' end) || ' ' || x.outcome
      from (select distinct on (y.schedule_id) y.* from unnest(${failed.map((row) => row.scheduleId)}::text[],
          ${failed.map((row) => row.scheduledTime)}::timestamptz[], ${failed.map((row) => row.outcome)}::text[])
          as y (schedule_id, scheduled_time, outcome)
          join ${transaction.table('schedules')} n on n.schedule_id = y.schedule_id
          join ${transaction.table('firings')} f on f.schedule_id = y.schedule_id and f.scheduled_time = y.scheduled_time
            and ${inMonthsOf(failed)}
          join ${transaction.table('schedule_versions')} w on w.schedule_id = f.schedule_id and w.version = f.schedule_version
            and w.created_at >= n.created_at
          where not exists (select from ${transaction.table('dead_letters')} l where l.schedule_id = y.schedule_id
            and l.scheduled_time = y.scheduled_time and ${instantIn(sql`(l.redrive -> 'reset')`, 'closedAt')} = f.closed_at)
          order by y.schedule_id, y.scheduled_time desc) x,
        ${transaction.table('schedule_versions')} v
      where s.schedule_id = x.schedule_id and v.schedule_id = s.schedule_id and v.version = s.version
        and v.policies -> 'pauseOnFailure' = 'true' and (not s.paused or s.paused_until is not null) and s.deleted_at is null
      returning s.schedule_id)
    update ${transaction.table('timers')} t set wake_at = ${now}, next_fire_at = null, seq = seq + 1, spec_format = ${endingPause()}
    from paused p where t.schedule_id = p.schedule_id returning t.schedule_id as "scheduleId"`.execute(transaction.db);
  const paused = rows.map((row) => row.scheduleId);
  // If very many firings wait, the claim pass skips the rest. Otherwise this transaction would keep its other schedules
  // locked for long.
  await skipSome(transaction, paused, { now, startedBy: now });
  return paused;
}
