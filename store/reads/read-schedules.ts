import { sql } from 'kysely';
import type { ScheduleDefinition } from '../../core/definition/definition';
import type { Store } from '../connection';
import { LABELS, type StoredLabels } from '../schedules/labels';
import { SHADOW_FORMAT } from '../spec-format';

/** A live schedule with its current definition. */
export interface ScheduleRow extends ScheduleDefinition, StoredLabels {
  scheduleId: string;
  version: number;
  tenant: string;
  paused: boolean;
  /** When the schedule was paused; null if it is not paused, or if the program that paused it did not record this. */
  pausedAt: Date | null;
  /** Who paused the schedule; null if it is not paused, if `pauseOnFailure` paused it, or if this was not recorded. */
  pausedBy: string | null;
  /** When the schedule's pause ends by itself; null if it does not. */
  pausedUntil: Date | null;
  note: string | null;
  /** Whether the schedule answers its occurrences but starts no workflow, because a Temporal schedule still runs it. */
  shadow: boolean;
  /** The source that declares the schedule in code; null if no source does. */
  source: string | null;
  specError: string | null;
  setAsideAt: Date | null;
  args: Buffer | null;
  createdAt: Date;
  updatedAt: Date | null;
  answeredTo: Date;
  nextFireAt: Date | null;
  lastFireAt: Date | null;
  remainingActions: number | null;
  /** When the schedule was completed; only meaningful for a completed schedule. */
  completedAt: Date | null;
  /** Who completed the schedule by creating or updating it; null if it became completed by itself. */
  completedBy: string | null;
}

export async function readSchedule(store: Store, scheduleId: string): Promise<ScheduleRow | undefined> {
  const { rows } = await sql<ScheduleRow>`${selectSchedules(store)}
    where s.deleted_at is null and s.schedule_id = ${scheduleId}`.execute(store.db);
  return rows[0];
}

/** Schedules `s` with their timers `t` and current versions `v`. */
export function selectSchedules(store: Store) {
  return sql`select s.schedule_id as "scheduleId", s.version, s.tenant, s.paused, s.paused_at as "pausedAt", s.paused_by as "pausedBy", s.paused_until as "pausedUntil", s.note, s.source,
      t.spec_format = ${SHADOW_FORMAT}::int as shadow,
      ${LABELS},
      s.spec_error as "specError", s.set_aside_at as "setAsideAt", s.created_at as "createdAt", s.updated_at as "updatedAt", t.answered_to as "answeredTo",
      t.next_fire_at as "nextFireAt", t.last_fire_at as "lastFireAt", t.remaining_actions as "remainingActions",
      t.completed_at as "completedAt", t.completed_by as "completedBy", v.namespace, v.spec, v.action, v.policies, v.args
    from ${store.table('schedules')} s
    join ${store.table('timers')} t using (schedule_id)
    join ${store.table('schedule_versions')} v using (schedule_id, version)`;
}
