import { sql } from 'kysely';
import type { FiringKey } from '../core/firing';
import type { Store } from './connection';
import { run } from './transaction';

/** A firing whose chain may have ended. */
export interface ObservedFiring extends FiringKey {
  namespace: string;
  workflowId: string;
  runId: string | null;
  epoch: number;
  startAttempts: number;
  linkedAt: Date | null;
  /** Why it got nowhere at the last look. */
  stalled: string | null;
}

/** Take a page of open chains whose check is due; until `checkAt` no other trigger looks at them. */
export async function takeOpenChains(
  store: Store,
  times: { now: Date; checkAt: Date },
  limit: number,
): Promise<ObservedFiring[]> {
  const { rows } = await run(
    store,
    sql<ObservedFiring>`
    with page as (
      select schedule_id, scheduled_time from ${store.table('firings')}
      where state = 'linked' and check_at <= ${times.now}
      order by check_at, scheduled_time, schedule_id limit ${limit} for no key update skip locked)
    update ${store.table('firings')} f set check_at = ${times.checkAt} from page p
    where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and f.state = 'linked'
    returning f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.namespace,
      f.workflow_id as "workflowId", f.run_id as "runId", f.epoch, f.start_attempts as "startAttempts", f.linked_at as "linkedAt",
      f.stalled`,
  );
  return rows;
}

/** A chain that still runs, and when to look again. */
export interface RunningChain extends FiringKey {
  checkAt: Date;
  stalled: string | null;
}

/**
 * Look at running chains again later; no later than `soon` at those that others wait for. Whether others wait is asked once
 * a schedule: it reads past all that the schedule has running.
 */
export async function postponeChecks(store: Store, running: RunningChain[], soon: Date): Promise<void> {
  if (running.length === 0) return;
  await run(
    store,
    sql`with awaited as materialized (
      select s.schedule_id from (select distinct unnest(${running.map((row) => row.scheduleId)}::text[]) as schedule_id) s
      where exists (select from ${store.table('firings')} b where b.schedule_id = s.schedule_id and b.state = 'buffered'))
    update ${store.table('firings')} f set stalled = c.stalled, check_at = case
        when f.schedule_id in (select schedule_id from awaited) then least(c.check_at, ${soon}) else c.check_at end
    from unnest(${running.map((row) => row.scheduleId)}::text[], ${running.map((row) => row.scheduledTime)}::timestamptz[],
      ${running.map((row) => row.checkAt)}::timestamptz[], ${running.map((row) => row.stalled)}::text[])
      as c (schedule_id, scheduled_time, check_at, stalled)
    where f.schedule_id = c.schedule_id and f.scheduled_time = c.scheduled_time and f.state = 'linked'`,
  );
}
