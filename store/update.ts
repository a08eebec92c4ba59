import { sql } from 'kysely';
import type { Gap } from '../core/decisions/catchup';
import type { ScheduleDefinition } from '../core/definition';
import type { OverlapPolicy } from '../core/schedule';
import { type BufferedOccurrence, bufferOccurrences } from './buffered';
import type { Store } from './connection';
import { insertGaps } from './gaps';
import type { LockedSchedule } from './lock';
import { SPEC_FORMAT } from './tables';

/** State of a schedule after an update. */
export interface UpdatedState {
  paused: boolean;
  note: string | undefined;
  remainingActions: number | undefined;
}

/** Where a schedule goes on after an update, and what its former definition leaves behind. */
export interface Handover {
  /** The instant of the change: the former definition has answered up to here, the new one answers from here. */
  at: Date;
  firings: BufferedOccurrence[];
  gaps: Gap[];
  /** The policy that the former definition's firings keep. */
  overlap: OverlapPolicy;
  /** The new definition's first occurrence; null while it sleeps, or when its spec has ended. */
  nextFireAt: Date | null;
}

/** A new immutable version. */
export interface NewVersion {
  definition: ScheduleDefinition;
  /** Encoded `Payloads`. */
  args: Uint8Array | null;
}

/** Change a locked schedule's state, and nothing that decides when it fires. */
export async function updateState(transaction: Store, locked: LockedSchedule, state: UpdatedState): Promise<void> {
  await sql`
    with changed as (
      update ${transaction.table('schedules')} set paused = ${state.paused}, note = ${state.note ?? null},
        updated_at = ${latest(locked)} where schedule_id = ${locked.scheduleId})
    update ${transaction.table('timers')} set remaining_actions = ${state.remainingActions ?? null}::int, seq = seq + 1
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
}

/**
 * Replace a locked schedule's definition: its former one answers for what is due, the new one from then on. Without a
 * `version` the definition stays, and the schedule falls asleep or wakes.
 */
export async function updateSchedule(
  transaction: Store,
  locked: LockedSchedule,
  change: { state: UpdatedState; handover: Handover; version: NewVersion | undefined; actor: string },
): Promise<void> {
  const { scheduleId } = locked;
  const { state, handover, version, actor } = change;
  const number = locked.version + (version ? 1 : 0);
  // The spec's firings, not the actor's; under the version that is locked.
  await bufferOccurrences(transaction, locked, handover.firings, { actor: null, overlap: handover.overlap });
  await insertGaps(
    transaction,
    handover.gaps.map((gap) => ({ scheduleId, ...gap })),
    locked.now,
  );
  const versioned = version
    ? sql`versioned as (${insertVersion(transaction, { scheduleId, number, actor, createdAt: handover.at }, version)}),`
    : sql``;
  // Back, where something was claimed ahead: the former definition's instants there keep their rows, which the unique key
  // protects, and the new one's have none yet. Never behind the schedule's last change, see `latest`.
  const answeredTo = version
    ? sql`${handover.at}::timestamptz`
    : sql`greatest(answered_to, ${handover.at}::timestamptz)`;
  await sql`with ${versioned} changed as (
      update ${transaction.table('schedules')} set version = ${number}, paused = ${state.paused},
        note = ${state.note ?? null}, spec_error = null, updated_at = ${handover.at}
      where schedule_id = ${scheduleId})
    update ${transaction.table('timers')} set spec_format = ${SPEC_FORMAT}, wake_at = ${locked.now},
      next_fire_at = ${handover.nextFireAt}, remaining_actions = ${state.remainingActions ?? null}::int,
      answered_to = ${answeredTo}, seq = seq + 1
    where schedule_id = ${scheduleId}`.execute(transaction.db);
}

/**
 * The instant of a change. By the database's clock, and by a clock behind it never before the change that it follows:
 * what that one answered, a pause or another definition, is not answered a second time.
 */
export function latest(locked: LockedSchedule): Date {
  return new Date(Math.max(locked.now.getTime(), locked.changedAt.getTime()));
}

function insertVersion(
  transaction: Store,
  key: { scheduleId: string; number: number; actor: string; createdAt: Date },
  { definition, args }: NewVersion,
) {
  return sql`insert into ${transaction.table('schedule_versions')}
      (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
    values (${key.scheduleId}, ${key.number}, ${definition.namespace}, ${JSON.stringify(definition.spec)}::jsonb,
      ${JSON.stringify(definition.action)}::jsonb, ${args ? Buffer.from(args) : null}::bytea,
      ${JSON.stringify(definition.policies)}::jsonb, ${key.actor}, ${key.createdAt})`;
}
