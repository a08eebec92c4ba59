import { sql } from 'kysely';
import { type FiringKey, type FiringOutcome, transition } from '../../core/firing';
import type { Store } from '../connection';
import { lockTimers } from '../schedules/lock-timers';
import { run, transact } from '../transaction';
import { dueChecks, type PagePart } from './due-checks';
import { OBSERVED, type ObservedFiring } from './observe';

export interface EndedFiring extends ObservedFiring {
  closedAt: Date;
  outcome: FiringOutcome;
}

export interface ReopenedFiring extends FiringKey {
  epoch: number;
  cancelAt: Date | null;
}

const LONGEST_WAIT_MILLISECONDS = 60 * 60 * 1_000;

/**
 * Take a batch of ended chains that are due for a check whether a person has reset them. The pause until the next check
 * grows with the time since the end, up to an hour; the first check after `watchMilliseconds` is the last.
 */
export async function takeEndedChains(
  store: Store,
  watch: {
    now: Date;
    checkMilliseconds: number;
    watchMilliseconds: number;
    withoutNamespaces: string[];
    limit: number;
  },
  part: PagePart = { without: [] },
): Promise<EndedFiring[]> {
  const age = sql`extract(epoch from ${watch.now}::timestamptz - f.closed_at) * 1000`;
  const wait = sql`least(${LONGEST_WAIT_MILLISECONDS}, greatest(${watch.checkMilliseconds}, ${age}))`;
  const { rows } = await run(
    store,
    sql<EndedFiring>`
    with page as (
      select f.schedule_id, f.scheduled_time ${dueChecks(store, { ...watch, ...part, state: 'closed' })}
      for no key update skip locked)
    update ${store.table('firings')} f set check_at = case when ${age} < ${watch.watchMilliseconds}
      then ${watch.now}::timestamptz + ${wait} * interval '1 millisecond' end
    from page p where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and f.state = 'closed'
    returning ${OBSERVED}, f.closed_at as "closedAt", f.outcome`,
  );
  return rows;
}

/**
 * closed → linked, under the schedules' locks: the chain runs again, and blocks its schedule. A former interrupt is
 * dropped. A kept interrupt would end the chain that a person has just reset, or would prevent a new interrupt. Firings
 * whose schedule another transaction keeps locked are left out.
 */
export async function reopenFirings(
  store: Store,
  ended: ReopenedFiring[],
  now: Date,
): Promise<{ reopened: FiringKey[]; held: FiringKey[] }> {
  if (ended.length === 0) return { reopened: [], held: [] };
  return transact(store, async (transaction) => {
    const locked = await lockTimers(transaction, ended, { waits: false });
    const reopened = ended.filter(({ scheduleId }) => locked.has(scheduleId));
    const { rows } = await sql<FiringKey>`
      update ${transaction.table('firings')} f set state = ${transition('closed', 'linked')}, outcome = null, closed_at = null,
        check_at = ${now}, interrupt = case when x.cancel_at is not null then 'cancel' end, interrupt_at = x.cancel_at,
        interrupted_at = null
      from unnest(${reopened.map((row) => row.scheduleId)}::text[], ${reopened.map((row) => row.scheduledTime)}::timestamptz[],
        ${reopened.map((row) => row.epoch)}::int[], ${reopened.map((row) => row.cancelAt)}::timestamptz[])
        as x (schedule_id, scheduled_time, epoch, cancel_at)
      where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and f.epoch = x.epoch
        and f.state = 'closed' and f.run_id is not null
      returning f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime"`.execute(transaction.db);
    return { reopened: rows, held: ended.filter(({ scheduleId }) => !locked.has(scheduleId)) };
  });
}
