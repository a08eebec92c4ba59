import { sql } from 'kysely';
import type { Store } from '../connection';
import { lockTimers } from '../schedules/lock-timers';
import { transact } from '../transaction';
import { IS_WAITING } from './parked-firings';

/**
 * open → redriving, with the decision `expire`, for steps that were parked as long as the current policy of their
 * schedule allows. Returns the number of expired steps.
 */
export async function expireParked(store: Store, now: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ${store.table('dead_letters')} l set state = 'redriving', actor = null, updated_at = ${now},
      note = 'it was parked for as long as the schedule lets a step be',
      redrive = jsonb_build_object('mode', 'expire', 'requestId', gen_random_uuid(), 'force', false,
        'askedAt', ${now.toISOString()}::text, 'lookAt', ${now.toISOString()}::text)
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where l.state = 'open' and l.kind = 'parked' and s.schedule_id = l.schedule_id
      and coalesce((l.failed_step ->> 'failedAt')::timestamptz, l.created_at)
        <= ${now}::timestamptz - (v.policies ->> 'parkedAtMost')::float8 * interval '1 millisecond'`.execute(store.db);
  return Number(numAffectedRows);
}

/**
 * Make schedules due for the claim pass in which firings wait behind a firing that no longer blocks them, since one of
 * its steps is parked. Schedules that another transaction keeps locked are left out.
 */
export async function wakeBehindParked(store: Store, now: Date): Promise<void> {
  const firings = store.table('firings');
  const { rows } = await sql<{ scheduleId: string }>`
    select distinct l.schedule_id as "scheduleId" from ${store.table('dead_letters')} l
      join ${store.table('schedules')} s on s.schedule_id = l.schedule_id
      join ${store.table('schedule_versions')} v on v.schedule_id = s.schedule_id and v.version = s.version
    where l.state in ('open', 'redriving') and ${IS_WAITING} and v.policies ->> 'parkedHolds' = 'false'
      and exists (select from ${firings} b where b.schedule_id = l.schedule_id and b.state = 'buffered')
      and exists (select from ${firings} f where f.schedule_id = l.schedule_id and f.scheduled_time = l.scheduled_time
        and f.epoch = l.epoch and f.state = 'linked')`.execute(store.db);
  if (rows.length === 0) return;
  await transact(store, async (transaction) => {
    const locked = await lockTimers(transaction, rows, { waits: false });
    await sql`update ${transaction.table('timers')} set wake_at = ${now}, seq = seq + 1
      where schedule_id = any(${[...locked]}) and wake_at > ${now}`.execute(transaction.db);
  });
}
