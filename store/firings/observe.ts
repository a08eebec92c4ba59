import { sql } from 'kysely';
import type { FiringKey } from '../../core/firing';
import type { Store } from '../connection';
import { run } from '../transaction';
import { type DueChecks, dueChecks, type PagePart } from './due-checks';
import { inMonthsOf, inState, keysTable } from './keys';

export interface ObservedFiring extends FiringKey {
  namespace: string;
  workflowId: string;
  runId: string | null;
  epoch: number;
  startAttempts: number;
  /** The schedule version with which the firing was claimed. */
  version: number;
  linkedAt: Date | null;
  /** Why the last poll with an answer found that the chain makes no progress; null otherwise. */
  stalled: string | null;
}

export const OBSERVED = sql`f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.namespace,
  f.workflow_id as "workflowId", f.run_id as "runId", f.epoch, f.start_attempts as "startAttempts",
  f.schedule_version as version, f.linked_at as "linkedAt", f.stalled`;

export interface PolledFiring extends ObservedFiring {
  /** Whether a firing of the schedule is buffered. */
  isAwaited: boolean;
}

/** The pauses after which a chain that still runs is polled again, in milliseconds. */
export interface NextPolls {
  now: Date;
  /** The pause between polls while other firings wait for the chain. */
  awaitedPause: number;
  /** The pause between polls while the chain makes no progress. */
  stalledPause: number;
  /** The pause for all other chains: a share of the chain's age, within limits. */
  pause: PauseOfAge;
  /**
   * Namespaces whose ended runs cannot be listed. If this holds for all namespaces, the list is empty, and `pause` is
   * `unlistedPause`.
   */
  unlisted: string[];
  unlistedPause: PauseOfAge;
}

export interface PauseOfAge {
  shortest: number;
  longest: number;
  shareOfAge: number;
}

/**
 * After a full batch, the next poll of a chain that blocks other firings is placed this far into the queue, as a share
 * of the queue's length.
 */
const AWAITED_SHARE_OF_QUEUE = 0.1;

/**
 * Take a batch of open chains that are due for a poll, and write the time of their next poll in the same statement.
 * Whether a firing is buffered is read once per schedule, since that read scans all running firings of the schedule.
 * After a full batch, the next poll of a chain that blocks others gets a place near the head of the queue of overdue
 * polls. A place at the very head would let thousands of such chains keep all other chains from being polled.
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

/** Why chains make no progress, and the route that they have in common. */
export interface StallCause {
  namespace: string;
  /** Empty for chains whose stored task queue cannot be read. */
  taskQueue: string;
  reason: string;
}

const STALLED_READ_AT_MOST = 100_000;

/**
 * The causes that no longer hold for any open chain, by the chains' last polls. Each chain that makes no progress is
 * read once, however many causes there are. If more than {@link STALLED_READ_AT_MOST} chains make no progress, no cause
 * counts as ended.
 */
export async function readEndedStalls(store: Store, causes: StallCause[]): Promise<StallCause[]> {
  const { rows } = await run(
    store,
    sql<StallCause>`
    with stalled as materialized (
      select f.namespace, f.stalled as reason, f.schedule_id, f.schedule_version from ${store.table('firings')} f
      where f.state = 'linked' and f.stalled is not null limit ${STALLED_READ_AT_MOST + 1}),
    lasting as materialized (
      select distinct s.namespace, v.action ->> 'taskQueue' as task_queue, s.reason from (select distinct * from stalled) s
      left join ${store.table('schedule_versions')} v on v.schedule_id = s.schedule_id and v.version = s.schedule_version)
    select c.namespace, c.task_queue as "taskQueue", c.reason
    from unnest(${causes.map((cause) => cause.namespace)}::text[], ${causes.map((cause) => cause.taskQueue)}::text[],
      ${causes.map((cause) => cause.reason)}::text[]) as c (namespace, task_queue, reason)
    where (select count(*) from stalled) <= ${STALLED_READ_AT_MOST} and not exists (select from lasting l
      where l.namespace = c.namespace and l.reason = c.reason and c.task_queue in ('', l.task_queue))`,
  );
  return rows;
}

/** Make these chains due for a poll at `at`: open chains by default, or ended chains that a person may have reset. */
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
