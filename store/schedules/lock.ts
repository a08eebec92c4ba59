import { sql } from 'kysely';
import type { ScheduleDefinition } from '../../core/definition/definition';
import { type DefinitionPart, legible } from '../../core/definition/legible';
import type { Store } from '../connection';
import { SHADOW_FORMAT, SPEC_FORMAT } from '../spec-format';
import { LABELS, type StoredLabels } from './labels';

/**
 * A schedule whose timer this transaction has locked. Until the transaction ends, no other transaction can claim or
 * pause the schedule, or close its firings.
 */
export interface LockedSchedule extends StoredLabels {
  scheduleId: string;
  tenant: string;
  version: number;
  paused: boolean;
  pausedAt: Date | null;
  pausedBy: string | null;
  /** When the schedule's pause ends by itself; null if it does not. */
  pausedUntil: Date | null;
  deleted: boolean;
  note: string | null;
  /** How many firings of the spec remain; null for no limit. */
  remainingActions: number | null;
  specError: string | null;
  /** Whether the schedule is in a form that only a newer program knows. */
  isNewer: boolean;
  /** Whether the schedule is in shadow: it records its occurrences but starts nothing. */
  shadow: boolean;
  createdAt: Date;
  /** When the schedule was last created, changed (labels apart), paused, unpaused or deleted. */
  changedAt: Date;
  answeredTo: Date;
  /** The current definition, with a stand-in for each damaged part. */
  definition: ScheduleDefinition;
  damaged: readonly DefinitionPart[];
  /**
   * The instant of this change: the caller's `now`, or else the database's clock after the lock was taken. This instant
   * is never before the creation of the schedule.
   */
  now: Date;
}

export class ScheduleHeldError extends Error {}

/**
 * Lock one schedule by its timer; returns undefined if there is no such schedule, not even a deleted one.
 *
 * @throws {ScheduleHeldError} if the lock was not taken, as when `waits` is false and another transaction holds it
 */
export async function lockSchedule(
  transaction: Store,
  scheduleId: string,
  now: Date | undefined,
  { waits } = { waits: true },
): Promise<LockedSchedule | undefined> {
  const { rows } = await sql`select 1 from ${transaction.table('timers')} where schedule_id = ${scheduleId}
    for no key update ${waits ? sql`` : sql`skip locked`}`.execute(transaction.db);
  // This is a second statement, since the snapshot of the first one is older than its wait for the lock.
  const [locked] = await readLocked(transaction, [scheduleId], now);
  if (locked && rows.length === 0)
    throw new ScheduleHeldError(`schedule '${scheduleId}' is locked by another transaction; try again`);
  return locked;
}

export async function readOwner(
  store: Store,
  scheduleId: string,
): Promise<{ tenant: string; deleted: boolean } | undefined> {
  const { rows } = await sql<{ tenant: string; deleted: boolean }>`
    select tenant, deleted_at is not null as deleted from ${store.table('schedules')}
    where schedule_id = ${scheduleId}`.execute(store.db);
  return rows[0];
}

/** Schedules whose timers this transaction has already locked, in no order. */
export async function readLocked(
  transaction: Store,
  scheduleIds: string[],
  now: Date | undefined,
): Promise<LockedSchedule[]> {
  const { rows } = await sql<Omit<LockedSchedule, 'definition' | 'damaged'> & ScheduleDefinition>`
    select s.schedule_id as "scheduleId", s.tenant, s.version, s.paused, s.paused_at as "pausedAt", s.paused_by as "pausedBy",
      s.deleted_at is not null as deleted, s.note,
      ${LABELS}, s.paused_until as "pausedUntil",
      s.spec_error as "specError", s.created_at as "createdAt", coalesce(s.updated_at, s.created_at) as "changedAt", t.remaining_actions as "remainingActions",
      t.answered_to as "answeredTo", t.spec_format > ${SPEC_FORMAT}::int as "isNewer",
      t.spec_format = ${SHADOW_FORMAT}::int as shadow, v.namespace, v.spec, v.action, v.policies,
      greatest(s.created_at, date_trunc('milliseconds', coalesce(${now ?? null}::timestamptz, clock_timestamp()))) as now
    from ${transaction.table('schedules')} s
    join ${transaction.table('timers')} t using (schedule_id)
    join ${transaction.table('schedule_versions')} v using (schedule_id, version)
    where s.schedule_id = any(${scheduleIds}::text[])`.execute(transaction.db);
  return rows.map(({ namespace, spec, action, policies, ...locked }) => {
    const { damaged, ...definition } = legible({ spec, action, policies });
    return { ...locked, definition: { namespace, ...definition }, damaged };
  });
}
