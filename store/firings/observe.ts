import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { run } from '../transaction';
import { type DueChecks, dueChecks, type PagePart } from './due-checks';
import { inMonthsOf, inState, keysTable } from './start';

/** A firing whose chain may have ended. */
export interface ObservedFiring extends FiringKey {
  namespace: string;
  workflowId: string;
  runId: string | null;
  epoch: number;
  startAttempts: number;
  /** Of the schedule that it was claimed with. */
  version: number;
  linkedAt: Date | null;
  /** Why it got nowhere at the last poll. */
  stalled: string | null;
}

/** Columns of the firing `f` that an observer needs. */
export const OBSERVED = sql`f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.namespace,
  f.workflow_id as "workflowId", f.run_id as "runId", f.epoch, f.start_attempts as "startAttempts",
  f.schedule_version as version, f.linked_at as "linkedAt", f.stalled`;

/** A firing whose chain is polled. */
export interface PolledFiring extends ObservedFiring {
  /** Whether others wait for its end. */
  isAwaited: boolean;
}

/** When a chain that is polled now is polled again, should it still run. Pauses are milliseconds. */
export interface NextPolls {
  now: Date;
  /** While others wait for it. */
  awaitedPause: number;
  /** While it gets nowhere. */
  stalledPause: number;
  /** Of the others the pause is a share of the time that the chain has run, in these bounds. */
  pause: PauseOfAge;
  /** Namespaces that do not list what has ended. */
  unlisted: string[];
  /** Of their chains. */
  unlistedPause: PauseOfAge;
}

/** A pause that grows with a chain's age. */
export interface PauseOfAge {
  shortest: number;
  longest: number;
  shareOfAge: number;
}

/** Behind a full page, what others wait for goes this part of the way from the head of the queue to its end. */
const AWAITED_SHARE_OF_QUEUE = 0.1;

/**
 * Take a batch of open chains that are due to be polled, and write in the same statement when they are polled next.
 * Most still run, and a row is not to be written twice for that. A pass that takes longer than the shortest pause may
 * meet another trigger's, which finds the same. Whether others wait is asked once a schedule: it reads past all that
 * the schedule has running. Their next poll counts from near the head of the queue, since otherwise it would be late by
 * all that is overdue. It is not the very head, so that thousands of them leave polls for the rest.
 */
export async function takeOpenChains(
  store: Store,
  next: NextPolls,
  limit: number,
  part: PagePart & Pick<DueChecks, 'withoutNamespaces'> = { without: [] },
): Promise<PolledFiring[]> {
  const pause = (milliseconds: number) => sql`${milliseconds}::float8 * interval '1 millisecond'`;
  const age = sql`(${next.now}::timestamptz - coalesce(f.linked_at, ${next.now}::timestamptz))`;
  const ofAge = ({ shortest, longest, shareOfAge }: PauseOfAge) =>
    sql`least(${pause(longest)}, greatest(${pause(shortest)}, ${age} * ${shareOfAge}::float8))`;
  const { rows } = await run(
    store,
    sql<PolledFiring>`
    with page as materialized (
      select f.schedule_id, f.scheduled_time, f.check_at as due_at, case
        when f.namespace = any(${next.unlisted}::text[]) then ${ofAge(next.unlistedPause)}
        when f.stalled is not null then ${pause(next.stalledPause)} else ${ofAge(next.pause)} end as pause
      ${dueChecks(store, { ...part, state: 'linked', now: next.now, limit })} for no key update skip locked),
    awaited as materialized (
      select s.schedule_id from (select distinct schedule_id from page) s
      where exists (select from ${store.table('firings')} b where b.schedule_id = s.schedule_id and b.state = 'buffered' offset 0)),
    queue as materialized (
      select case when count(*) < ${limit} then ${next.now}::timestamptz
        else max(due_at) + (${next.now}::timestamptz - max(due_at)) * ${AWAITED_SHARE_OF_QUEUE}::float8 end as near_head from page)
    update ${store.table('firings')} f set check_at = case
        when a.schedule_id is not null then q.near_head + ${pause(next.awaitedPause)}
        else ${next.now}::timestamptz + p.pause end
    from page p left join awaited a using (schedule_id) cross join queue q
    where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and ${inState('linked')}
    returning ${OBSERVED}, a.schedule_id is not null as "isAwaited"`,
  );
  return rows;
}

/** Note why running chains get nowhere, or that they do again. */
export async function noteStalls(store: Store, chains: (FiringKey & { stalled: string | null })[]): Promise<void> {
  if (chains.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set stalled = c.stalled
    from unnest(${chains.map((row) => row.scheduleId)}::text[], ${chains.map((row) => row.scheduledTime)}::timestamptz[],
      ${chains.map((row) => row.stalled)}::text[]) as c (schedule_id, scheduled_time, stalled)
    where f.schedule_id = c.schedule_id and f.scheduled_time = c.scheduled_time and ${inState('linked')}`,
  );
}

/** Poll these chains again at `at`: open ones, or ended ones that a person may have reset. */
export async function pollAgain(
  store: Store,
  chains: FiringKey[],
  at: Date,
  state: 'linked' | 'closed' = 'linked',
): Promise<void> {
  if (chains.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set check_at = ${at} from ${keysTable(chains)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inMonthsOf(chains, state)}`,
  );
}
