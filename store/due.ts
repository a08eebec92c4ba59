import { sql } from 'kysely';
import type { ScheduleDefinition, StoredAction } from '../core/definition';
import type { Store } from './connection';
import { SPEC_FORMAT } from './tables';

/** A timer that is due, as an unlocked look saw it. `seq` tells whether it is still so. */
export interface DueTimer {
  scheduleId: string;
  seq: number;
  wakeAt: Date;
  answeredTo: Date;
  /** Firings of the spec that are left before the schedule is completed; null for no limit. */
  remainingActions: number | null;
  version: number;
  paused: boolean;
  deleted: boolean;
  /** When it was created, or created again under the name of a deleted one. */
  createdAt: Date;
}

/** The last timer of a page. */
export type TimerCursor = Pick<DueTimer, 'scheduleId' | 'wakeAt'>;

/**
 * Timers due by `horizon`, the longest overdue first, behind `cursor`. Takes no lock; forms of spec newer than this
 * program stay.
 */
export async function readDueTimers(
  store: Store,
  horizon: Date,
  limit: number,
  cursor?: TimerCursor,
): Promise<DueTimer[]> {
  const behind = cursor ? sql`(t.wake_at, t.schedule_id) > (${cursor.wakeAt}, ${cursor.scheduleId})` : sql`true`;
  // The instant is bound, since a volatile one could not use the index.
  const { rows } = await sql<DueTimer>`${selectTimers(store)}
    where t.wake_at <= ${horizon} and ${behind} and t.spec_format <= ${SPEC_FORMAT}
    order by t.wake_at, t.schedule_id limit ${limit}`.execute(store.db);
  return rows;
}

/** The timers of some schedules, due or not. */
export async function readTimers(store: Store, scheduleIds: string[]): Promise<DueTimer[]> {
  const { rows } = await sql<DueTimer>`${selectTimers(store)} where t.schedule_id = any(${scheduleIds})`.execute(
    store.db,
  );
  return rows;
}

function selectTimers(store: Store) {
  return sql`select t.schedule_id as "scheduleId", t.seq, t.wake_at as "wakeAt", t.answered_to as "answeredTo",
      t.remaining_actions as "remainingActions", s.version, s.paused,
      s.deleted_at is not null as deleted, s.created_at as "createdAt"
    from ${store.table('timers')} t join ${store.table('schedules')} s using (schedule_id)`;
}

/** The key of an immutable version. */
export interface VersionKey {
  scheduleId: string;
  version: number;
}

/** Of an action what may be large, and only a start needs. */
const CARRIED = sql.raw(`'{memo,staticSummary,staticDetails,searchAttributes}'::text[]`);

/** Definitions by version, without what their starts carry: arguments, memo, details, search attributes. */
export async function readDefinitions(store: Store, keys: VersionKey[]): Promise<(VersionKey & ScheduleDefinition)[]> {
  const { rows } = await sql<VersionKey & ScheduleDefinition>`
    select v.schedule_id as "scheduleId", v.version, v.namespace, v.spec, v.action - ${CARRIED} as action, v.policies
    from ${store.table('schedule_versions')} v
    join unnest(${keys.map((key) => key.scheduleId)}::text[], ${keys.map((key) => key.version)}::int[])
      as x (schedule_id, version) using (schedule_id, version)`.execute(store.db);
  return rows;
}

/** What a start carries. */
export interface StartPayload {
  /** Encoded `Payloads`. */
  args: Buffer | null;
  /** The whole action. */
  action: StoredAction;
}

/** Arguments and whole actions by version: read when a start needs them, never with the claim. */
export async function readStartPayloads(store: Store, keys: VersionKey[]): Promise<(VersionKey & StartPayload)[]> {
  const { rows } = await sql<VersionKey & StartPayload>`
    select v.schedule_id as "scheduleId", v.version, v.args, v.action
    from ${store.table('schedule_versions')} v
    join (select distinct * from unnest(${keys.map((key) => key.scheduleId)}::text[],
      ${keys.map((key) => key.version)}::int[]) as x (schedule_id, version)) x using (schedule_id, version)`.execute(
    store.db,
  );
  return rows;
}

/** Note that a schedule's stored spec cannot be evaluated. */
export async function setAside(store: Store, key: VersionKey, problem: string): Promise<void> {
  await sql`update ${store.table('schedules')} set spec_error = ${problem}
    where schedule_id = ${key.scheduleId} and version = ${key.version} and spec_error is distinct from ${problem}`.execute(
    store.db,
  );
}
