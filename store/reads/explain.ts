import { sql } from 'kysely';
import type { GapReason } from '../../core/decisions/catchup';
import type { ScheduleDefinition } from '../../core/definition/definition';
import type { ScheduleSpec } from '../../core/schedule/spec';
import type { Store } from '../connection';
import { SHADOW_FORMAT, SPEC_FORMAT } from '../spec-format';

/** The current state of a schedule, live or deleted. */
export interface ScheduleStanding extends Pick<ScheduleDefinition, 'spec' | 'action' | 'policies'> {
  scheduleId: string;
  tenant: string;
  version: number;
  paused: boolean;
  /** When the schedule's pause ends by itself; null if it does not. */
  pausedUntil: Date | null;
  note: string | null;
  specError: string | null;
  changedAt: Date;
  deletedAt: Date | null;
  remainingActions: number | null;
  /**
   * How far ahead of their time the schedule's firings may be handed to Temporal, in milliseconds; null if the policy
   * `preStart` is no duration.
   */
  preStart: number | null;
  answeredTo: Date;
  /** Whether the schedule is in shadow mode, so that it starts nothing. */
  shadow: boolean;
  /** Whether the schedule is in a form that only a newer version reads, so that an update by this one does not help. */
  isNewer: boolean;
  /** When the schedule's first version was written. */
  firstCreatedAt: Date;
}

export interface VersionInForce {
  version: number;
  spec: ScheduleSpec;
  actor: string | null;
}

/** A stored range of occurrences that the schedule did not fire by itself. */
export interface StoredGap {
  /** The nominal time of the first occurrence. */
  from: Date;
  /** The nominal time of the last occurrence. */
  to: Date;
  /** The number of occurrences, including those that fired later. */
  count: number;
  /** Why the occurrences did not fire. */
  reason: GapReason;
  /** When the gap was first written. */
  recordedAt: Date;
  /** The freeze that held the occurrences back, if the reason is `frozen`; otherwise null. */
  freezeId: string | null;
}

/** Returns undefined if there is no such schedule, not even a deleted one. */
export async function readStanding(store: Store, scheduleId: string): Promise<ScheduleStanding | undefined> {
  const { rows } = await sql<ScheduleStanding>`
    select s.schedule_id as "scheduleId", s.tenant, s.version, v.spec, v.action, v.policies, s.paused, s.paused_until as "pausedUntil", s.note, s.spec_error as "specError",
      coalesce(s.updated_at, s.created_at) as "changedAt", s.deleted_at as "deletedAt",
      t.remaining_actions as "remainingActions", t.pre_start as "preStart", t.answered_to as "answeredTo", t.spec_format = ${SHADOW_FORMAT}::int as shadow, t.spec_format > ${SPEC_FORMAT}::int as "isNewer",
      (select min(created_at) from ${store.table('schedule_versions')} where schedule_id = s.schedule_id) as "firstCreatedAt"
    from ${store.table('schedules')} s
    join ${store.table('timers')} t using (schedule_id)
    join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.schedule_id = ${scheduleId}`.execute(store.db);
  return rows[0];
}

/** At the very instant of a change, the former definition still applies. */
export async function readVersionInForce(
  store: Store,
  scheduleId: string,
  time: Date,
): Promise<VersionInForce | undefined> {
  const { rows } = await sql<VersionInForce>`
    select version, spec, actor from ${store.table('schedule_versions')}
    where schedule_id = ${scheduleId} and created_at < ${time}
    order by version desc limit 1`.execute(store.db);
  return rows[0];
}

export async function readGapOver(store: Store, scheduleId: string, time: Date): Promise<StoredGap | undefined> {
  const { rows } = await sql<StoredGap>`
    select from_time as "from", to_time as "to", count, reason, recorded_at as "recordedAt", freeze_id as "freezeId"
    from ${store.table('gaps')}
    where schedule_id = ${scheduleId} and from_time <= ${time} and to_time >= ${time}
    order by from_time desc limit 1`.execute(store.db);
  return rows[0];
}
