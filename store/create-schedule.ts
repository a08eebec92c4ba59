import { sql } from 'kysely';
import type { Gap } from '../core/decisions/catchup';
import type { ScheduleDefinition } from '../core/definition';
import type { Store } from './connection';
import { insertGap } from './gaps';
import type { LockedSchedule } from './lock';
import { SPEC_FORMAT } from './tables';

/** A schedule as it is first written. */
export interface NewSchedule {
  scheduleId: string;
  tenant: string;
  definition: ScheduleDefinition;
  /** Encoded `Payloads`. */
  args: Uint8Array | undefined;
  paused: boolean;
  note: string | undefined;
  remainingActions: number | undefined;
  actor: string;
  /** The first occurrence by the caller's clock, to be shown; the trigger looks at once and settles it by its own. */
  nextFireAt: Date | undefined;
  /** @default the database's clock */
  now?: Date;
}

/**
 * ∅ → schedule, version 1 and timer, in one statement. Every occurrence from now on wants an answer.
 *
 * @returns false when the ID is taken, by a deleted schedule too; nothing was written then
 */
export async function insertSchedule(store: Store, schedule: NewSchedule): Promise<boolean> {
  const { definition } = schedule;
  const { rows } = await sql<{ created: boolean }>`
    with at as (select date_trunc('milliseconds', coalesce(${schedule.now ?? null}::timestamptz, clock_timestamp())) as now),
    created as (
      insert into ${store.table('schedules')} (schedule_id, version, tenant, paused, note, created_at)
      select ${schedule.scheduleId}, 1, ${schedule.tenant}, ${schedule.paused}, ${schedule.note ?? null}, at.now from at
      on conflict (schedule_id) do nothing returning created_at),
    versioned as (
      insert into ${store.table('schedule_versions')}
        (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
      select ${schedule.scheduleId}, 1, ${definition.namespace}, ${JSON.stringify(definition.spec)}::jsonb,
        ${JSON.stringify(definition.action)}::jsonb, ${buffer(schedule.args)}::bytea,
        ${JSON.stringify(definition.policies)}::jsonb, ${schedule.actor}, created_at from created),
    timed as (
      insert into ${store.table('timers')} (schedule_id, spec_format, wake_at, next_fire_at, remaining_actions, answered_to)
      select ${schedule.scheduleId}, ${SPEC_FORMAT}, case when ${schedule.paused} then 'infinity' else created_at end,
        ${schedule.paused ? null : (schedule.nextFireAt ?? null)}::timestamptz, ${schedule.remainingActions ?? null}::int,
        created_at from created)
    select exists (select from created) as created`.execute(store.db);
  return rows[0]!.created;
}

/**
 * Deleted → live again under the same ID, with the next version. The caller holds the lock; what fell in between is
 * answered by `gap`.
 */
export async function reviveSchedule(
  transaction: Store,
  locked: LockedSchedule,
  schedule: NewSchedule,
  gap: Gap | undefined,
): Promise<void> {
  const { definition } = schedule;
  const version = locked.version + 1;
  await sql`
    with at as (select ${locked.now}::timestamptz as now),
    revived as (
      update ${transaction.table('schedules')} set version = ${version}, tenant = ${schedule.tenant},
        paused = ${schedule.paused}, note = ${schedule.note ?? null}, source = null, spec_error = null,
        memo = null, search_attributes = null,
        created_at = at.now, updated_at = null, deleted_at = null
      from at where schedule_id = ${schedule.scheduleId}),
    versioned as (
      insert into ${transaction.table('schedule_versions')}
        (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
      select ${schedule.scheduleId}, ${version}, ${definition.namespace}, ${JSON.stringify(definition.spec)}::jsonb,
        ${JSON.stringify(definition.action)}::jsonb, ${buffer(schedule.args)}::bytea,
        ${JSON.stringify(definition.policies)}::jsonb, ${schedule.actor}, at.now from at)
    update ${transaction.table('timers')} set spec_format = ${SPEC_FORMAT}, wake_at = at.now, answered_to = at.now,
      next_fire_at = ${schedule.paused ? null : (schedule.nextFireAt ?? null)}::timestamptz,
      remaining_actions = ${schedule.remainingActions ?? null}::int, seq = seq + 1
    from at where schedule_id = ${schedule.scheduleId}`.execute(transaction.db);
  if (gap) await insertGap(transaction, schedule.scheduleId, gap, locked.now);
}

function buffer(args: Uint8Array | undefined): Buffer | null {
  return args ? Buffer.from(args) : null;
}
