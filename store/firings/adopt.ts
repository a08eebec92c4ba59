import { sql } from 'kysely';
import { type FiringKey, type FiringKind, type FiringState, transition } from '../../core/firing';
import type { Store } from '../connection';
import { settleLetters } from '../letters/open-and-resolve';
import { lockTimers } from '../schedules/lock-timers';
import { isOfErased } from '../schedules/purged';
import { run, transact } from '../transaction';
import { linkFirings } from './link';

/** The ledger's data about the firing of a run that Temporal lists. */
export interface ListedFiring {
  /**
   * Whether the ledger has the schedule, which may be deleted. False for a run of an erased schedule: a later schedule
   * of the same ID has nothing to do with it. Also false for a run in a namespace that no schedule of the same tenant
   * has used: the workflow there only claims to be a firing.
   */
  known: boolean;
  /** The state of the firing; null if it has no row. */
  state: FiringState | null;
  epoch: number | null;
  runId: string | null;
  linkedAt: Date | null;
  attempted: boolean;
  /** The version of the schedule that was in force when the run started; the first version if none is that old. */
  version: number;
}

/** @param namespace where Temporal lists all these runs */
export async function readListed(
  store: Store,
  namespace: string,
  runs: (FiringKey & { startedAt: Date })[],
): Promise<ListedFiring[]> {
  if (runs.length === 0) return [];
  // Versions below zero are those of manual firings with arguments of their own.
  const ofSchedule = sql`from ${store.table('schedule_versions')} v where v.schedule_id = x.schedule_id and v.version > 0`;
  const { rows } = await sql<ListedFiring>`
    select t.schedule_id is not null and not ${isOfErased(store)} and (
        exists (select from ${store.table('schedule_versions')} v where v.schedule_id = x.schedule_id and v.namespace = ${namespace})
        -- An update that moved the schedule to this namespace may be lost too.
        -- The offset makes the planner stop at the first such schedule of the tenant.
        or exists (select from ${store.table('schedules')} other where other.tenant = s.tenant and exists (select
          from ${store.table('schedule_versions')} v where v.schedule_id = other.schedule_id and v.namespace = ${namespace}) offset 0)) as known, f.state, f.epoch, f.run_id as "runId", f.linked_at as "linkedAt",
      f.first_attempted_at is not null as attempted,
      coalesce((select max(v.version) ${ofSchedule} and v.created_at <= x.started_at), (select min(v.version) ${ofSchedule}), 1) as version
    from unnest(${runs.map((row) => row.scheduleId)}::text[], ${runs.map((row) => row.scheduledTime)}::timestamptz[],
      ${runs.map((row) => row.startedAt)}::timestamptz[])
      with ordinality as x (schedule_id, scheduled_time, started_at, place)
    left join ${store.table('timers')} t on t.schedule_id = x.schedule_id
    left join ${store.table('schedules')} s on s.schedule_id = x.schedule_id
    left join ${store.table('firings')} f on f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
    order by x.place`.execute(store.db);
  return rows;
}

/** A firing as Temporal knows it, after a failover has lost its row or the latest change of its row. */
export interface LostRow extends FiringKey {
  kind: FiringKind;
  actor: string | null;
  epoch: number;
  version: number;
  namespace: string;
  workflowId: string;
  runId: string;
  startedAt: Date;
  cancelAt: Date | null;
  /** The state and epoch of the firing's row, if there is a row that is older than the run. */
  state: FiringState | null;
  rowEpoch: number | null;
  startsAt: Date | null;
}

/**
 * ∅ → claimed → linked in one transaction and under the schedule's lock. A row that is older than the run is changed in
 * the same way. Such a row is of an earlier epoch. Or it is of the run's epoch, and buffered, skipped, abandoned, or
 * claimed without an announced start. Returns `there` for any other row; `held` if another transaction keeps the
 * schedule locked.
 */
export async function adoptFiring(
  store: Store,
  lost: LostRow,
  adopter: { owner: string; now: Date },
): Promise<'adopted' | 'there' | 'held'> {
  for (const from of ['absent', 'buffered', 'closed', 'abandoned'] as const) transition(from, 'claimed');
  // From skipped: a person requested to run the firing again, or paused the schedule, after the announcement that the
  // failover lost.
  transition(transition('skipped', 'buffered'), 'claimed');
  // From linked: the failover lost the end of an earlier run too.
  transition(transition('linked', 'closed'), 'claimed');
  const isSameClaim = sql`f.state = 'claimed' and f.epoch = excluded.epoch`;
  return transact(store, async (transaction) => {
    const locked = await lockTimers(transaction, [lost], { waits: false });
    if (!locked.has(lost.scheduleId)) return 'held';
    const { rows } = await sql`
      insert into ${transaction.table('firings')} as f (schedule_id, scheduled_time, state, kind, actor, namespace,
        schedule_version, workflow_id, epoch, owner, check_at, first_attempted_at, start_attempted_at, claimed_at, starts_at)
      values (${lost.scheduleId}, ${lost.scheduledTime}, 'claimed', ${lost.kind}, ${lost.actor}, ${lost.namespace},
        ${lost.version}, ${lost.workflowId}, ${lost.epoch}, ${adopter.owner}, ${adopter.now}, ${lost.startedAt},
        ${lost.startedAt}, ${lost.startedAt}, ${lost.startsAt}::timestamptz)
      on conflict (schedule_id, scheduled_time) do update set state = 'claimed', outcome = null, reason = null, stalled = null,
        kind = excluded.kind, actor = excluded.actor, namespace = excluded.namespace, workflow_id = excluded.workflow_id,
        -- A request to run the firing again takes the definition in force, and mostly changes the kind. A run of the same
        -- kind may be a restart, which mostly keeps the definition.
        schedule_version = case when f.epoch < excluded.epoch and f.kind <> excluded.kind then excluded.schedule_version else f.schedule_version end,
        epoch = excluded.epoch, owner = excluded.owner, claimed_at = coalesce(f.claimed_at, excluded.claimed_at), closed_at = null,
        -- Neither an interrupt nor the start delay of an earlier run concerns this one.
        starts_at = case when f.epoch = excluded.epoch then f.starts_at end,
        interrupt = case when ${isSameClaim} then f.interrupt end,
        interrupt_at = case when ${isSameClaim} then f.interrupt_at end,
        interrupted_at = case when ${isSameClaim} then f.interrupted_at end
        where f.epoch < excluded.epoch or (f.epoch = excluded.epoch
          and (f.state in ('buffered', 'abandoned', 'skipped') or (f.state = 'claimed' and f.first_attempted_at is null)))
      returning 1 as one`.execute(transaction.db);
    if (rows.length === 0) return 'there';
    // The end of the earlier run will not be recorded any more, so its steps no longer count as parked.
    const hadRun = lost.state === 'linked' || lost.state === 'claimed';
    if (hadRun && lost.rowEpoch! < lost.epoch) {
      await settleLetters(transaction, [{ ...lost, outcome: 'unknown', failedStep: undefined }], adopter.now);
    }
    // The first poll is due at once: the chain may have ended long ago.
    await linkFirings(transaction, [{ ...lost, pollAfterMilliseconds: 0 }], adopter.now);
    // A firing that was claimed before has already used one of the schedule's remaining actions. A skipped firing has
    // mostly used no action, or its action was given back. A restart uses no action, but the lost claim before it did.
    // If the schedule was deleted and created again since, its new definition did not start the run.
    const isFirst = lost.state === null || lost.state === 'buffered' || lost.state === 'skipped';
    const actions = isFirst && (lost.kind === 'schedule' || lost.kind === 'catchup') ? 1 : 0;
    await sql`update ${transaction.table('timers')} t set seq = t.seq + 1,
        remaining_actions = t.remaining_actions
          - case when t.remaining_actions > 0 and s.created_at <= ${lost.startedAt} then ${actions}::int else 0 end
      from ${transaction.table('schedules')} s
      where t.schedule_id = ${lost.scheduleId} and s.schedule_id = t.schedule_id`.execute(transaction.db);
    return 'adopted';
  });
}

/**
 * Temporal namespaces that may have a running workflow whose row was lost. Such a workflow could be started twice.
 * These are the namespaces of claimed and buffered firings, and those in versions of live schedules that were in force
 * at `since` or later.
 */
export async function readNamespaces(store: Store, since: Date): Promise<string[]> {
  const { rows } = await sql<{ namespace: string }>`
    select namespace from (select distinct namespace from ${store.table('schedule_versions')}) n
    where exists (select from ${store.table('schedule_versions')} v
        join ${store.table('schedules')} s on s.schedule_id = v.schedule_id and s.deleted_at is null
        where v.namespace = n.namespace and not exists (select from ${store.table('schedule_versions')} later
          where later.schedule_id = v.schedule_id and later.version > v.version and later.created_at <= ${since}))
      or exists (select from ${store.table('firings')} f
        where f.namespace = n.namespace and f.state in ('claimed', 'buffered'))
    order by namespace`.execute(store.db);
  return rows.map((row) => row.namespace);
}

export async function readLinkedNamespaces(store: Store): Promise<string[]> {
  const { rows } = await sql<{ namespace: string }>`
    select namespace from (select distinct namespace from ${store.table('schedule_versions')}) n
    where exists (select from ${store.table('firings')} f where f.namespace = n.namespace and f.state = 'linked' offset 0)
    order by namespace`.execute(store.db);
  return rows.map((row) => row.namespace);
}

export async function readRan(
  transaction: Store,
  stretches: { scheduleId: string; from: number; to: number }[],
): Promise<FiringKey[]> {
  if (stretches.length === 0) return [];
  const { rows } = await run(
    transaction,
    sql<FiringKey>`
    select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime"
    from unnest(${stretches.map((one) => one.scheduleId)}::text[], ${stretches.map((one) => new Date(one.from))}::timestamptz[],
      ${stretches.map((one) => new Date(one.to))}::timestamptz[]) as x (schedule_id, from_time, to_time)
    join ${transaction.table('firings')} f on f.schedule_id = x.schedule_id
      and f.scheduled_time >= x.from_time and f.scheduled_time <= x.to_time
    where f.kind <> 'manual' and f.state in ('claimed', 'linked', 'closed', 'abandoned')
    order by f.schedule_id, f.scheduled_time`,
  );
  return rows;
}
