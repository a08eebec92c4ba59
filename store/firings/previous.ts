import { sql } from 'kysely';
import type { FiringKey, FiringOutcome } from '../../core/firing';
import type { Store } from '../connection';
import { keysTable } from './keys';

export interface EndedFiringRow {
  scheduledTime: Date;
  workflowId: string;
  runId: string | null;
  closedAt: Date;
}

export interface PreviousFiring extends EndedFiringRow {
  outcome: FiringOutcome;
  /**
   * The failure message of the previous firing's workflow, as long as its letter is open or redriving; null otherwise.
   */
  failure: string | null;
  /**
   * The latest completed firing among the last `READ_AT_MOST` firings; null if none completed, or if the previous
   * firing itself completed.
   */
  completed: EndedFiringRow | null;
}

/** How many earlier firings are searched: a schedule that skipped for a year must not delay a start. */
const READ_AT_MOST = 100;
/** A damaged row of an earlier firing must not stop the start of this one. */
const IS_WHOLE = sql`n.workflow_id is not null and isfinite(n.closed_at)`;

/**
 * Reads the previous closed firing of each of these firings, by the primary key. A firing without a closed firing among
 * the last `READ_AT_MOST` before it is left out.
 */
export async function readPrevious(
  store: Store,
  keys: FiringKey[],
): Promise<(FiringKey & { previous: PreviousFiring })[]> {
  if (keys.length === 0) return [];
  // The range is limited first and then searched: the read stops at the first match in descending order.
  const latestWhere = (condition: ReturnType<typeof sql>) => sql`
    select n.* from (
      select scheduled_time, outcome, workflow_id, run_id, closed_at from ${store.table('firings')} f
      where f.schedule_id = x.schedule_id and f.scheduled_time < x.scheduled_time
      order by f.scheduled_time desc limit ${READ_AT_MOST}) n
    where ${condition} order by n.scheduled_time desc limit 1`;
  const { rows } = await sql<Row>`
    select x.schedule_id as "scheduleId", x.scheduled_time as "scheduledTime", p.scheduled_time as "previousTime",
      p.workflow_id as "workflowId", p.run_id as "runId", p.closed_at as "closedAt", p.outcome,
      l.failed_step -> 'failure' ->> 'message' as failure, c.scheduled_time as "completedTime",
      c.workflow_id as "completedWorkflowId", c.run_id as "completedRunId", c.closed_at as "completedAt"
    from ${keysTable(keys)}
    cross join lateral (${latestWhere(sql`n.outcome is not null and ${IS_WHOLE}`)}) p
    left join lateral (${latestWhere(sql`n.outcome = 'completed' and ${IS_WHOLE}`)}) c on p.outcome <> 'completed'
    left join lateral (
      select d.failed_step from ${store.table('dead_letters')} d where p.outcome in ('failed', 'timed_out')
        and d.schedule_id = x.schedule_id and d.scheduled_time = p.scheduled_time and d.state in ('open', 'redriving')
      order by d.updated_at desc limit 1) l on true`.execute(store.db);
  return rows.map(previousOf);
}

type Row = FiringKey &
  Omit<PreviousFiring, 'scheduledTime' | 'completed'> & {
    previousTime: Date;
    completedTime: Date | null;
    completedWorkflowId: string;
    completedRunId: string | null;
    completedAt: Date;
  };

function previousOf(row: Row): FiringKey & { previous: PreviousFiring } {
  const { scheduleId, scheduledTime, previousTime, workflowId, runId, closedAt, outcome, failure } = row;
  const completed = row.completedTime && {
    scheduledTime: row.completedTime,
    workflowId: row.completedWorkflowId,
    runId: row.completedRunId,
    closedAt: row.completedAt,
  };
  return {
    scheduleId,
    scheduledTime,
    previous: { scheduledTime: previousTime, workflowId, runId, closedAt, outcome, failure, completed },
  };
}
