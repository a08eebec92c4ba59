import { sql } from 'kysely';
import type { EncodedPayload, ScheduleDefinition } from '../core/definition';
import type { StoredSearchAttributes } from '../core/search-attributes';
import type { Store } from './connection';

/** A live schedule with its current definition. */
export interface ScheduleRow extends ScheduleDefinition {
  scheduleId: string;
  version: number;
  tenant: string;
  paused: boolean;
  note: string | null;
  specError: string | null;
  /** Of the schedule itself. */
  memo: Record<string, EncodedPayload> | null;
  /** Of the schedule itself. */
  searchAttributes: StoredSearchAttributes | null;
  args: Buffer | null;
  createdAt: Date;
  updatedAt: Date | null;
  answeredTo: Date;
  nextFireAt: Date | null;
  lastFireAt: Date | null;
  remainingActions: number | null;
}

/** Live schedules by ID. */
export async function readSchedule(store: Store, scheduleId: string): Promise<ScheduleRow | undefined> {
  const { rows } = await selectSchedules(store, sql`s.schedule_id = ${scheduleId}`, 1);
  return rows[0];
}

/** A page of live schedules in the order of their IDs, after `cursor`. */
export async function readSchedulesPage(
  store: Store,
  page: { tenant?: string; cursor: string; size: number },
): Promise<ScheduleRow[]> {
  const tenant = page.tenant === undefined ? sql`true` : sql`s.tenant = ${page.tenant}`;
  const { rows } = await selectSchedules(store, sql`${tenant} and s.schedule_id > ${page.cursor}`, page.size);
  return rows;
}

function selectSchedules(store: Store, condition: ReturnType<typeof sql>, limit: number) {
  return sql<ScheduleRow>`
    select s.schedule_id as "scheduleId", s.version, s.tenant, s.paused, s.note, s.spec_error as "specError",
      s.memo, s.search_attributes as "searchAttributes",
      s.created_at as "createdAt", s.updated_at as "updatedAt", t.answered_to as "answeredTo",
      t.next_fire_at as "nextFireAt", t.last_fire_at as "lastFireAt", t.remaining_actions as "remainingActions",
      v.namespace, v.spec, v.action, v.policies, v.args
    from ${store.table('schedules')} s
    join ${store.table('timers')} t using (schedule_id)
    join ${store.table('schedule_versions')} v using (schedule_id, version)
    where s.deleted_at is null and ${condition}
    order by s.schedule_id limit ${limit}`.execute(store.db);
}
