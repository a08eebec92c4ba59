import { sql } from 'kysely';
import type { ScheduleDefinition } from '../../core/definition/definition';
import type { FiringKey } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import { holdsSchedule } from '../letters/parked-firings';
import { ofTenant } from '../schedules/tenant';
import { staleBefore } from '../settings';
import { amountIn, arrayOf, instantIn, numberIn } from '../text';
import { FIRING_COLUMNS, type Firing } from './read-firings';

export interface Conditions {
  isTriggerAlive: boolean;
  /** The latest heartbeat of all triggers that are still in the ledger. */
  lastHeartbeatAt: Date | null;
  /** Whether a failover was noticed and the adoption of Temporal's runs is not finished. */
  isAdopting: boolean;
}

/** @param now @default the database's clock */
export async function readConditions(store: Store, now: Date | undefined): Promise<Conditions> {
  const { rows } = await sql<Conditions>`
    select max(heartbeat_at) as "lastHeartbeatAt",
      coalesce(max(heartbeat_at) > ${staleBefore(store, now)}, false) as "isTriggerAlive",
      exists (select from ${store.table('meta')} where key = 'last_claim_at' and value <> 'null') as "isAdopting"
    from ${store.table('triggers')}`.execute(store.db);
  return rows[0]!;
}

/** The data by which a trigger decides about an occurrence or a buffered firing. */
export interface DecidedBy extends Pick<ScheduleDefinition, 'action' | 'policies'> {
  /** The firing's own overlap policy; null if it has none, or no row. */
  overlap: OverlapPolicy | null;
  /** The form of the schedule: `spec_format` of its timer. */
  form: number;
}

/** Returns undefined if no live schedule has this ID. */
export async function readDecidedBy(
  store: Store,
  { scheduleId, scheduledTime }: FiringKey,
): Promise<DecidedBy | undefined> {
  const { rows } = await sql<DecidedBy>`
    select v.action, v.policies, own.overlap, t.spec_format as form from ${store.table('schedules')} s
    join ${store.table('timers')} t using (schedule_id)
    join ${store.table('schedule_versions')} v using (schedule_id, version)
    left join ${store.table('firings')} own on own.schedule_id = s.schedule_id and own.scheduled_time = ${scheduledTime}
    where s.schedule_id = ${scheduleId} and s.deleted_at is null`.execute(store.db);
  return rows[0];
}

/** A claim that is not linked yet, and its place among the claims of its namespace. */
export interface StandingClaim {
  /** Since when the start of this claim fails although its namespace answers. */
  refusedSince: Date | null;
  checkAt: Date | null;
  /** Whether another claim of the namespace was made earlier. */
  isBehind: boolean;
  /** How many of the counted claims were made before the firing's own claim. */
  before: number;
  /** How many of the counted claims in the namespace are not linked. */
  waiting: number;
  /**
   * Since when the namespace is away for a live trigger, which gets no answer or only refusals; null if no trigger
   * reports that.
   */
  awaySince: Date | null;
  /** The error in the report of `awaySince`, from Temporal or the network. */
  awayError: string | null;
  /** The cap on starts by which a live trigger holds the claim back; null if none does. */
  cap: { namespace?: string; taskQueue?: string; perSecond: number; since: string } | null;
}

/**
 * Returns undefined if the firing is not claimed.
 *
 * @param tenant the tenant whose claims are counted; undefined for all
 * @param now @default the database's clock
 */
export async function readStandingClaim(
  store: Store,
  { scheduleId, scheduledTime }: FiringKey,
  { tenant, now }: { tenant: string | undefined; now: Date | undefined },
): Promise<StandingClaim | undefined> {
  const firings = store.table('firings');
  const isBefore = sql`(o.claimed_at, o.scheduled_time, o.schedule_id) < (f.claimed_at, f.scheduled_time, f.schedule_id)`;
  const isCounted = ofTenant(store, sql`o.schedule_id`, tenant);
  const { rows } = await sql<StandingClaim>`
    select f.refused_since as "refusedSince", f.check_at as "checkAt", q.*, away.since as "awaySince", away.error as "awayError",
      cap.cap
    from ${firings} f cross join lateral (
      select count(*) filter (where ${isBefore} and ${isCounted})::int as before,
        coalesce(bool_or(${isBefore}), false) as "isBehind", count(*) filter (where ${isCounted})::int as waiting
      from ${firings} o where o.state = 'claimed' and o.namespace = f.namespace) q
    left join lateral (
      select ${instantIn(sql`n`, 'since')} as since, n ->> 'error' as error
      from ${store.table('triggers')} t cross join jsonb_array_elements(${arrayOf(sql`t.away`)}) n
      where n ->> 'namespace' = f.namespace and t.heartbeat_at > ${staleBefore(store, now)}
      order by since limit 1) away on true
    left join lateral (
      select c as cap from ${store.table('triggers')} t cross join jsonb_array_elements(${arrayOf(sql`t.caps`)}) c
      where (c ->> 'namespace' = f.namespace or c ->> 'taskQueue' = f.task_queue) and f.owner is null
        and t.heartbeat_at > ${staleBefore(store, now)}
      order by c ->> 'since' limit 1) cap on true
    where f.schedule_id = ${scheduleId} and f.scheduled_time = ${scheduledTime} and f.state = 'claimed'`.execute(
    store.db,
  );
  return rows[0];
}

/**
 * Finds the oldest firing that blocks another firing of its schedule, by the overlap policy of the blocked firing.
 * Returns undefined if fewer firings are open than the schedule allows.
 *
 * @param scheduledTime the nominal time of the blocked firing; for an occurrence without a row, the schedule's own
 * policy applies
 */
export async function readHolder(store: Store, { scheduleId, scheduledTime }: FiringKey): Promise<Firing | undefined> {
  const firings = store.table('firings');
  const { rows } = await sql<Firing & { held: number }>`
    select h.* from ${store.table('schedules')} s
    join ${store.table('schedule_versions')} v using (schedule_id, version)
    left join ${firings} own on own.schedule_id = s.schedule_id and own.scheduled_time = ${scheduledTime}
    cross join lateral (
      select ${FIRING_COLUMNS}, count(*) over () as held from ${firings} f
      where schedule_id = s.schedule_id and state in ('claimed', 'linked') and ${holdsSchedule(store, 'f')}
      order by scheduled_time limit 1) h
    where s.schedule_id = ${scheduleId} and h.held >= coalesce(${numberIn(sql`v.policies`, 'maxConcurrent')},
      case when coalesce(own.overlap, v.policies ->> 'overlap') <> 'ALLOW_ALL' then 1 end)`.execute(store.db);
  if (!rows[0]) return undefined;
  const { held, ...holder } = rows[0];
  return holder;
}

export async function readTaskQueue(store: Store, { scheduleId, scheduleVersion }: Firing): Promise<string> {
  const { rows } = await sql<{ taskQueue: string }>`
    select action ->> 'taskQueue' as "taskQueue" from ${store.table('schedule_versions')}
    where schedule_id = ${scheduleId} and version = ${scheduleVersion}`.execute(store.db);
  return rows[0]!.taskQueue;
}

/** `atMost` is in milliseconds; null for no limit. */
export async function readParkedPolicy(
  store: Store,
  scheduleId: string,
): Promise<{ holds: boolean; atMost: number | null }> {
  const { rows } = await sql<{ holds: boolean; atMost: number | null }>`
    select coalesce(v.policies ->> 'parkedHolds' <> 'false', true) as holds, ${amountIn(sql`v.policies`, 'parkedAtMost')} as "atMost"
    from ${store.table('schedules')} s join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.schedule_id = ${scheduleId}`.execute(store.db);
  return rows[0]!;
}
