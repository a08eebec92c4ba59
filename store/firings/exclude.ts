import { sql } from 'kysely';
import { type FiringKey, transition } from '../../core/firing';
import type { Store } from '../connection';
import type { LockedSchedule } from '../schedules/lock';
import { wakeTimer } from './buffered';

/** ∅ → skipped (excluded): a future occurrence of a locked schedule is answered ahead of time. */
export async function insertExclusion(
  transaction: Store,
  locked: LockedSchedule,
  exclusion: { scheduledTime: Date; actor: string },
): Promise<void> {
  await sql`insert into ${transaction.table('firings')} (schedule_id, scheduled_time, state, reason, kind, actor, namespace,
      schedule_version, claimed_at)
    values (${locked.scheduleId}, ${exclusion.scheduledTime}, ${transition('absent', 'skipped')}, 'excluded', 'schedule',
      ${exclusion.actor}, ${locked.definition.namespace}, ${locked.version}, ${locked.now})`.execute(transaction.db);
  await wakeTimer(transaction, locked);
}

/** skipped (excluded) → ∅, for times of a locked schedule. */
export async function deleteExclusions(
  transaction: Store,
  locked: LockedSchedule,
  scheduledTimes: Date[],
): Promise<void> {
  transition('skipped', 'absent');
  if (scheduledTimes.length === 0) return;
  await sql`delete from ${transaction.table('firings')}
    where schedule_id = ${locked.scheduleId} and scheduled_time = any(${scheduledTimes}::timestamptz[])
      and state = 'skipped' and reason = 'excluded'`.execute(transaction.db);
  await wakeTimer(transaction, locked);
}

export async function readExclusions(store: Store, scheduleId: string, after: Date): Promise<Date[]> {
  const { rows } = await sql<{ scheduledTime: Date }>`
    select scheduled_time as "scheduledTime" from ${store.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time > ${after} and state = 'skipped' and reason = 'excluded'
    order by scheduled_time`.execute(store.db);
  return rows.map((row) => row.scheduledTime);
}

export async function readExclusionsOf(
  store: Store,
  schedules: { scheduleId: string; after: Date }[],
): Promise<FiringKey[]> {
  const ids = schedules.map(({ scheduleId }) => scheduleId);
  const afters = schedules.map(({ after }) => after);
  // `offset 0` keeps Postgres from a join that reads all rows of a schedule.
  const { rows } = await sql<FiringKey>`
    select x.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime"
    from unnest(${ids}::text[], ${afters}::timestamptz[]) as x (schedule_id, after)
    cross join lateral (select scheduled_time from ${store.table('firings')}
      where schedule_id = x.schedule_id and scheduled_time > x.after and state = 'skipped' and reason = 'excluded'
      offset 0) f`.execute(store.db);
  return rows;
}
