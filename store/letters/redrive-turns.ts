import { type RawBuilder, sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { RedriveRequest } from '../../core/letters/redrive';
import { OVERLAP_POLICIES } from '../../core/schedule/policies';
import type { Store } from '../connection';
import { lockTimers } from '../schedules/lock-timers';
import { numberIn } from '../text';
import { transact } from '../transaction';
import { holdsSchedule } from './parked-firings';

export interface AskedRedrive extends FiringKey {
  letterId: string;
  epoch: number;
  request: RedriveRequest;
}

/**
 * Whether a letter `l` that is redriven together with many others may be redriven now. The firing of the letter must be
 * the oldest of its schedule among those letters, and one more firing of the schedule must be allowed to be open. A
 * parked step or a begun reset is also allowed if its own workflow already blocks the schedule. Under ALLOW_ALL without
 * a limit no letter waits for another.
 *
 * @param turn the place of `l` among the letters of its schedule, the oldest first
 * @param capacity {@link capacityOf} the letter's schedule, computed once for all its letters
 */
export function isItsTurn(store: Store, turn: RawBuilder<unknown>, capacity: RawBuilder<unknown>): RawBuilder<unknown> {
  // Open firings are counted only for the first letter of each schedule, since thousands of letters may wait.
  return sql`case when ${capacity} is null then true
    when l.kind = 'parked' or l.redrive ? 'reset' then ${isHolding(store)} or (${turn} = 1 and ${isRoom(store, capacity)})
    when ${turn} = 1 then ${isRoom(store, capacity)} else false end`;
}

/** Whether the firing of `l` runs and blocks its schedule. */
function isHolding(store: Store): RawBuilder<unknown> {
  return sql`exists (select from ${store.table('firings')} own where own.schedule_id = l.schedule_id
    and own.scheduled_time = l.scheduled_time and own.state = 'linked' and ${holdsSchedule(store, 'own')})`;
}

/**
 * Whether the schedule of `l` has fewer other open firings that block it than its limit allows. Buffered firings of the
 * spec do not count while their schedule sleeps until the end of a freeze, since a redrive may start during a freeze. A
 * buffered firing whose own overlap policy only a newer trigger knows does not count either, since it may wait for
 * ever. A buffered firing without a policy of its own counts, even if only a newer trigger can read its schedule.
 */
function isRoom(store: Store, capacity: RawBuilder<unknown>): RawBuilder<unknown> {
  // A schedule may have a million buffered firings, so no more are counted than the limit.
  return sql`coalesce((select count(*) from (select from ${store.table('firings')} o where o.schedule_id = l.schedule_id
      and o.scheduled_time <> l.scheduled_time and o.state in ('buffered', 'claimed', 'linked') and ${holdsSchedule(store, 'o')}
      and not (o.state = 'buffered' and o.kind in ('schedule', 'catchup') and ${sleepsFrozen(store)})
      and (o.state <> 'buffered' or o.overlap is null or o.overlap = any(${[...OVERLAP_POLICIES]}::text[]))
      limit least(greatest(coalesce(${capacity}, 0), 0), 2147483647)::bigint) o) < ${capacity}, true)`;
}

function sleepsFrozen(store: Store): RawBuilder<unknown> {
  return sql`exists (select from ${store.table('timers')} t join ${store.table('freezes')} f on f.to_time = t.wake_at
    where t.schedule_id = l.schedule_id and f.ended_at is null)`;
}

/** How many firings of the schedule of `l` may be open at once; null for no limit. */
export function capacityOf(store: Store): RawBuilder<unknown> {
  return sql`(select coalesce(${numberIn(sql`v.policies`, 'maxConcurrent')}, case when v.policies ->> 'overlap' <> 'ALLOW_ALL' then 1 end)
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.schedule_id = l.schedule_id)`;
}

/**
 * Whether the schedule may have one more open firing, or the letter's firing already blocks it, for a paced redrive.
 * The caller holds the schedule's lock. For a redrive that is not paced, the result is true.
 */
export async function hasRoom(
  transaction: Store,
  { letterId, request }: Pick<AskedRedrive, 'letterId' | 'request'>,
): Promise<boolean> {
  if (!request.inTurn) return true;
  const { rows } = await sql`select 1 as one from ${transaction.table('dead_letters')} l
    where l.letter_id = ${letterId} and (${isHolding(transaction)} or ${isRoom(transaction, capacityOf(transaction))})`.execute(
    transaction.db,
  );
  return rows.length > 0;
}

/**
 * Whether another letter of the firing has announced a reset that is still pending, and this letter has announced none.
 * The caller holds the schedule's lock. If both have announced one, as triggers of an older version do, neither waits
 * for the other.
 */
export async function isResetByAnother(
  transaction: Store,
  { letterId, scheduleId, scheduledTime }: Pick<AskedRedrive, 'letterId' | 'scheduleId' | 'scheduledTime'>,
): Promise<boolean> {
  const { rows } = await sql<{ isOwn: boolean }>`
    select l.letter_id = ${letterId} as "isOwn" from ${transaction.table('dead_letters')} l
    where l.schedule_id = ${scheduleId} and l.scheduled_time = ${scheduledTime} and l.state = 'redriving'
      and l.redrive ? 'lookAt' and l.redrive ? 'reset' and l.redrive ->> 'mode' = 'resume'
    order by 1 desc limit 1`.execute(transaction.db);
  return rows[0]?.isOwn === false;
}

/**
 * Record which run is about to be reset, and let its firing block the schedule from now on, so that no occurrence
 * starts beside its chain. The letter keeps the end that the firing's row loses; the next poll of the chain is then due
 * at `checkAt`.
 *
 * @returns `busy` if the redrive is paced and the schedule has its maximum of open firings, or if another letter of the
 * firing has announced a reset: Temporal would reset the run for each of them. `gone` if the redrive is no longer
 * pending, or the firing has changed, as when a person ran it again
 */
export async function announceReset(
  store: Store,
  redrive: AskedRedrive,
  reset: NonNullable<RedriveRequest['reset']>,
  checkAt: Date,
): Promise<'announced' | 'busy' | 'gone'> {
  return transact(store, async (transaction) => {
    await lockTimers(transaction, [redrive]);
    if (await isResetByAnother(transaction, redrive)) return 'busy';
    if (!(await hasRoom(transaction, redrive))) return 'busy';
    const firings = transaction.table('firings');
    const firing = sql`schedule_id = ${redrive.scheduleId} and scheduled_time = ${redrive.scheduledTime}
      and epoch = ${redrive.epoch}`;
    const closed = sql`${firing} and state = 'closed'`;
    const { rows } =
      await sql`update ${transaction.table('dead_letters')} set redrive = redrive || jsonb_build_object('reset',
        coalesce(redrive -> 'reset', '{}') || ${JSON.stringify(reset)}::jsonb || coalesce(
          (select jsonb_build_object('outcome', outcome, 'closedAt', closed_at) from ${firings} where ${closed}), '{}'))
      where letter_id = ${redrive.letterId} and state = 'redriving' and redrive ->> 'lookAt' = ${redrive.request.lookAt ?? null}
        and redrive ->> 'requestId' = ${redrive.request.requestId}
        and exists (select from ${firings} where ${firing} and state in ('closed', 'linked')) returning 1 as one`.execute(
        transaction.db,
      );
    if (rows.length === 0) return 'gone';
    await sql`update ${firings} set state = 'linked', outcome = null, reason = null, closed_at = null,
        check_at = ${checkAt}, stalled = null, interrupted_at = null, interrupt_at = null, interrupt = null
      where ${closed}`.execute(transaction.db);
    return 'announced';
  });
}
