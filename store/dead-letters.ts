import { sql } from 'kysely';
import { type FiringKey, isFailure } from '../core/firing';
import { storableJson } from '../core/storable';
import type { ClosedFiring } from './close';
import type { Store } from './connection';
import { keysTable } from './start';

/** ∅ → open letter of kind `start`, for firings that were abandoned, under their schedules' locks. */
export async function buryAbandoned(transaction: Store, firings: FiringKey[], now: Date): Promise<void> {
  if (firings.length === 0) return;
  await sql`
    insert into ${transaction.table('dead_letters')} as l (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
      workflow_id, created_at, updated_at)
    select gen_random_uuid(), f.schedule_id, f.scheduled_time, f.epoch, 'start', f.reason, f.namespace, f.workflow_id, ${now}, ${now}
    from ${transaction.table('firings')} f join ${keysTable(firings)} using (schedule_id, scheduled_time)
    ${reopen()}`.execute(transaction.db);
}

/**
 * What ends say of letters, under the schedules' locks: a chain that failed or timed out opens one, or opens the one
 * again that was being redriven; a chain that completed resolves it. Of one that a person ended, a step that was parked in
 * it is given up with it; any other letter stays open for them.
 */
export async function settleLetters(transaction: Store, closed: ClosedFiring[], now: Date): Promise<void> {
  await buryFailed(
    transaction,
    closed.filter(({ outcome }) => isFailure(outcome)),
    now,
  );
  const others = closed.filter(({ outcome }) => !isFailure(outcome));
  if (others.length === 0) return;
  await sql`
    update ${transaction.table('dead_letters')} l set updated_at = ${now},
      state = case when x.outcome = 'completed' then 'resolved' when l.kind = 'parked' then 'discarded' else 'open' end,
      note = case when x.outcome <> 'completed' and l.kind = 'parked' then 'its workflow was ' || x.outcome else l.note end
    from unnest(${others.map((row) => row.scheduleId)}::text[], ${others.map((row) => row.scheduledTime)}::timestamptz[],
      ${others.map((row) => row.outcome)}::text[]) as x (schedule_id, scheduled_time, outcome)
    where l.schedule_id = x.schedule_id and l.scheduled_time = x.scheduled_time and l.state in ('open', 'redriving')
      and (x.outcome = 'completed' or l.state = 'redriving' or l.kind = 'parked')`.execute(transaction.db);
}

/** open | redriving → resolved: the firing turned out to be done by somebody else. Under the schedules' locks. */
export async function resolveSkipped(transaction: Store, firings: FiringKey[], now: Date): Promise<void> {
  if (firings.length === 0) return;
  await sql`update ${transaction.table('dead_letters')} l set state = 'resolved', updated_at = ${now} from ${keysTable(firings)}
    where l.schedule_id = x.schedule_id and l.scheduled_time = x.scheduled_time and l.state in ('open', 'redriving')`.execute(
    transaction.db,
  );
}

/** A step that was parked and given up fails its chain as it was told to, which needs no further letter. */
async function buryFailed(transaction: Store, failed: ClosedFiring[], now: Date): Promise<void> {
  if (failed.length === 0) return;
  const steps = failed.map((row) => (row.failedStep ? storableJson(row.failedStep) : null));
  await sql`
    insert into ${transaction.table('dead_letters')} as l (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace,
      workflow_id, run_id, failed_step, created_at, updated_at)
    select gen_random_uuid(), f.schedule_id, f.scheduled_time, f.epoch, 'workflow', f.outcome, f.namespace, f.workflow_id,
      f.run_id, x.failed_step, ${now}, ${now}
    from ${transaction.table('firings')} f join unnest(${failed.map((row) => row.scheduleId)}::text[],
      ${failed.map((row) => row.scheduledTime)}::timestamptz[], ${steps}::jsonb[]) as x (schedule_id, scheduled_time, failed_step)
      using (schedule_id, scheduled_time)
    where not exists (select from ${transaction.table('dead_letters')} d where d.schedule_id = f.schedule_id
      and d.scheduled_time = f.scheduled_time and d.epoch = f.epoch and d.kind = 'parked' and d.state = 'discarded'
      and d.failed_step ->> 'activityId' = x.failed_step ->> 'activityId')
    ${reopen()}`.execute(transaction.db);
}

/** One open letter per firing: what it says is brought up to date, and one that was being redriven is open again. */
function reopen() {
  return sql`on conflict (schedule_id, scheduled_time) where state in ('open', 'redriving') do update set
    state = case when l.redrive ->> 'mode' = 'discard' then 'discarded' else 'open' end, epoch = excluded.epoch, kind = excluded.kind, reason = excluded.reason, namespace = excluded.namespace,
    workflow_id = excluded.workflow_id, run_id = excluded.run_id, failed_step = excluded.failed_step, updated_at = excluded.updated_at`;
}
