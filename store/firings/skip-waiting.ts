import { type RawBuilder, sql } from 'kysely';
import { type FiringKind, transition } from '../../core/firing';
import type { Store } from '../connection';
import { lockTimers } from '../schedules/lock-timers';
import { inState } from './keys';
import { IS_WAITING_BY_KEY, isRedriven } from './waiting';

/** How many claims one statement skips: a statement for all waiting claims could exceed its time limit. */
const SKIPPED_AT_ONCE = 5_000;

/**
 * claimed → skipped, for firings of locked schedules that are paused or deleted by now, if nobody has announced their
 * start. A pause does not stop firings that a person asked for. Neither a pause nor a deletion stops redriven firings,
 * or firings that were claimed ahead and whose time has not come. At that time the schedule may be live again. The
 * schedules get back the actions that the skipped firings had used.
 *
 * If very many firings wait, a transaction of `transact` skips only some, so that no lock is held for long. `transact`
 * skips the rest after the commit and before it returns. If that fails, or the process dies meanwhile, the claim pass
 * skips the rest.
 *
 * @returns how many firings this transaction skipped
 */
export async function skipWaiting(transaction: Store, scheduleIds: string[], now: Instant): Promise<number> {
  const { afterCommit } = transaction;
  const at = { now, startedBy: now };
  if (!afterCommit) return skipAll(transaction, scheduleIds, at);
  const { skipped, more } = await skipSome(transaction, scheduleIds, at);
  if (more) {
    afterCommit.push(async (next) => {
      await lockTimers(
        next,
        scheduleIds.map((scheduleId) => ({ scheduleId })),
      );
      return (await skipSome(next, scheduleIds, at)).more;
    });
  }
  return skipped.length;
}

/**
 * Skip at most a page of the firings that a pause or a deletion has left. Firings that were claimed ahead stay: whoever
 * paused or deleted the schedule was told that they are handed over.
 *
 * @returns the schedules of which firings were skipped; all given schedules if more may be left
 */
export async function skipLeft(transaction: Store, scheduleIds: string[], now: Date): Promise<Set<string>> {
  const { skipped, more } = await skipSome(transaction, scheduleIds, { now, startedBy: null });
  return new Set(more ? scheduleIds : skipped.map(({ scheduleId }) => scheduleId));
}

/**
 * Like {@link skipLeft}, but skips all of these firings. It must run before a change that ends the pause or the
 * deletion.
 */
export async function skipAllLeft(transaction: Store, scheduleIds: string[], now: Date): Promise<void> {
  await skipAll(transaction, scheduleIds, { now, startedBy: null });
}

interface SkipTime {
  now: Instant;
  /**
   * Firings that were claimed ahead stay if they may begin only after this instant. If null, all firings that were
   * claimed ahead stay.
   */
  startedBy: Instant | null;
}

async function skipAll(transaction: Store, scheduleIds: string[], at: SkipTime): Promise<number> {
  for (let all = 0; ; ) {
    const { skipped, more } = await skipSome(transaction, scheduleIds, at);
    all += skipped.length;
    if (!more) return all;
  }
}

/** Like {@link skipWaiting}, but skips at most a page. `more` says whether there may be more. */
export async function skipSome(
  transaction: Store,
  scheduleIds: string[],
  { now, startedBy }: SkipTime,
): Promise<{ skipped: Stopped[]; more: boolean }> {
  if (scheduleIds.length === 0) return { skipped: [], more: false };
  const firings = transaction.table('firings');
  const { rows: skipped } = await sql<Stopped & { found: number }>`
    update ${firings} f set state = ${transition('claimed', 'skipped')}, reason = p.reason, closed_at = ${now}, check_at = null
    from (
      with page as materialized (
        select f.schedule_id, f.scheduled_time, s.reason from ${firings} f
        cross join lateral (
          select case when s.deleted_at is not null or f.claimed_at < s.created_at then 'schedule_deleted'
            when s.paused and f.kind in ('schedule', 'catchup') then 'paused' end as reason
          from ${transaction.table('schedules')} s where s.schedule_id = f.schedule_id offset 0) s
        where f.schedule_id = any(${scheduleIds}::text[]) and ${IS_WAITING_BY_KEY} and s.reason is not null
          and (f.starts_at is null or f.starts_at <= ${startedBy}) and not ${isRedriven(transaction)}
        limit ${SKIPPED_AT_ONCE})
      select page.*, (select count(*)::int from page) as found from page) p
    where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time
      and ${inState('claimed')} and f.owner is null and f.first_attempted_at is null
    returning f.schedule_id as "scheduleId", f.kind, f.claimed_at as "claimedAt", p.found`.execute(transaction.db);
  await giveBackActions(transaction, skipped, now);
  return { skipped, more: skipped[0]?.found === SKIPPED_AT_ONCE };
}

type Instant = RawBuilder<unknown> | Date;

interface Stopped {
  scheduleId: string;
  kind: FiringKind;
  claimedAt: Date;
}

/**
 * Give locked schedules back the actions that skipped firings had used. A schedule that had no action left is woken. A
 * plan that assumes the former number of actions becomes invalid.
 */
export async function giveBackActions(transaction: Store, stopped: Stopped[], now: Instant): Promise<void> {
  const counted = stopped.filter(({ kind }) => kind === 'schedule' || kind === 'catchup');
  if (counted.length === 0) return;
  // If a schedule was deleted and created again since, its new definition did not use these actions and gets none back.
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
