import { type RawBuilder, sql } from 'kysely';
import { type FiringKind, transition } from '../../core/firing';
import type { Store } from '../connection';
import { IS_WAITING_BY_KEY, isRedriven } from './waiting';

export type SkipReason = 'paused' | 'schedule_deleted';

/**
 * claimed → skipped, for firings of locked schedules whose start nobody has announced. A pause does not stop firings
 * that a person asked for. Neither a pause nor a deletion stops redriven firings, or firings that were claimed ahead
 * and whose time has not come: the schedule may be live again by then. The schedules get back the actions that the
 * skipped firings had used.
 *
 * @returns how many firings were skipped
 */
export async function skipWaiting(
  transaction: Store,
  scheduleIds: string[],
  reason: SkipReason,
  now: RawBuilder<unknown> | Date,
): Promise<number> {
  if (scheduleIds.length === 0) return 0;
  const survivesPause = reason === 'paused' ? sql`and f.kind in ('schedule', 'catchup')` : sql``;
  const { rows } = await sql<Stopped>`
    update ${transaction.table('firings')} f set state = ${transition('claimed', 'skipped')}, reason = ${reason}, closed_at = ${now},
      check_at = null
    where f.schedule_id = any(${scheduleIds}::text[]) and ${IS_WAITING_BY_KEY} ${survivesPause}
      and (f.starts_at is null or f.starts_at <= ${now}) and not ${isRedriven(transaction)}
    returning f.schedule_id as "scheduleId", f.kind, f.claimed_at as "claimedAt"`.execute(transaction.db);
  await giveBackActions(transaction, rows, now);
  return rows.length;
}

interface Stopped {
  scheduleId: string;
  kind: FiringKind;
  claimedAt: Date;
}

/**
 * Give locked schedules back the actions that skipped firings had used. A schedule that had no action left is woken. A
 * plan that assumes the former number of actions becomes invalid.
 */
export async function giveBackActions(
  transaction: Store,
  stopped: Stopped[],
  now: RawBuilder<unknown> | Date,
): Promise<void> {
  const counted = stopped.filter(({ kind }) => kind === 'schedule' || kind === 'catchup');
  if (counted.length === 0) return;
  // If a schedule was deleted and created again, its new definition did not use these actions, so it gets none back.
  await sql`
    update ${transaction.table('timers')} t set remaining_actions = t.remaining_actions + g.actions, seq = t.seq + 1,
      wake_at = case when t.remaining_actions > 0 then t.wake_at else least(t.wake_at, ${now}) end,
      completed_at = case when t.remaining_actions > 0 then completed_at end,
      completed_by = case when t.remaining_actions > 0 then completed_by end
    from (select s.schedule_id, count(*)::int as actions
      from unnest(${counted.map(({ scheduleId }) => scheduleId)}::text[], ${counted.map(({ claimedAt }) => claimedAt)}::timestamptz[]) as x (id, claimed_at)
      join ${transaction.table('schedules')} s on s.schedule_id = x.id and s.created_at <= x.claimed_at group by s.schedule_id) g
    where t.schedule_id = g.schedule_id and t.remaining_actions is not null`.execute(transaction.db);
}
