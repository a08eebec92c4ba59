import { sql } from 'kysely';
import type { Gap } from '../../core/decisions/catchup';
import { isPausedAt } from '../../core/decisions/pause';
import type { ScheduleDefinition } from '../../core/definition/definition';
import { problemOfStored } from '../../core/definition/stored-definition';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import { type BufferedOccurrence, bufferOccurrences, supersedeBuffered } from '../firings/buffered';
import { insertGaps } from '../firings/gaps';
import { skipAllLeft, skipWaiting } from '../firings/skip-waiting';
import { formatOf } from '../spec-format';
import { keepingForm } from './kept-form';
import type { LockedSchedule } from './lock';
import { preStartOf } from './pre-start';
import { purgedOf } from './purged';

export interface UpdatedState {
  paused: boolean;
  pausedUntil: Date | null;
  note: string | undefined;
  remainingActions: number | undefined;
}

export function sameState({ paused, pausedUntil, note, remainingActions }: LockedSchedule): UpdatedState {
  return { paused, pausedUntil, note: note ?? undefined, remainingActions: remainingActions ?? undefined };
}

/** Where the new definition begins after an update, and the firings that the former definition leaves. */
export interface Handover {
  at: Date;
  /** Occurrences up to this time belong to the former definition; the new definition answers later ones. */
  answeredTo: Date;
  /** Firings with `replacesFrom` replace buffered firings, as {@link supersedeBuffered} does. */
  firings: (BufferedOccurrence & { replacesFrom?: number | undefined })[];
  gaps: Gap[];
  /** The overlap policy that firings of the former definition keep. @default the policy of the new definition */
  overlap: OverlapPolicy | undefined;
  /**
   * The new definition's first occurrence; null while the schedule is paused or otherwise asleep, or if its spec has
   * ended.
   */
  nextFireAt: Date | null;
}

export interface NewVersion {
  definition: ScheduleDefinition;
  /** The arguments, encoded as `Payloads`. */
  args: Uint8Array | null;
}

/** Change the note and the remaining actions of a locked schedule, but not when it fires. */
export async function updateState(transaction: Store, locked: LockedSchedule, state: UpdatedState): Promise<void> {
  await sql`
    with changed as (
      update ${transaction.table('schedules')} set paused = ${state.paused}, note = ${state.note ?? null},
        updated_at = ${latest(locked)} where schedule_id = ${locked.scheduleId})
    update ${transaction.table('timers')} set remaining_actions = ${state.remainingActions ?? null}::int, seq = seq + 1
    where schedule_id = ${locked.scheduleId}`.execute(transaction.db);
}

export interface ScheduleUpdate {
  locked: LockedSchedule;
  state: UpdatedState;
  handover: Handover;
  /** The new version; without it, the definition stays and the schedule only falls asleep or wakes. */
  version: NewVersion | undefined;
  actor: string;
  /**
   * Whether the schedule is completed: no action is left, or its spec has no further time although it is not paused.
   */
  completed: boolean;
}

/** Replace the definitions of locked schedules, or only let them fall asleep or wake. */
export async function updateSchedules(transaction: Store, updates: ScheduleUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  for (const update of updates) {
    const { locked, handover } = update;
    // Firings that the former definition leaves come from the spec, so they have no actor.
    const by = { actor: null, overlap: handover.overlap };
    await bufferOccurrences(transaction, { ...locked, version: startingVersion(update) }, handover.firings, by);
    for (const { scheduledTime, replacesFrom } of handover.firings) {
      if (replacesFrom === undefined) continue;
      await supersedeBuffered(transaction, locked, { from: new Date(replacesFrom), before: scheduledTime });
    }
    const gaps = handover.gaps.map((gap) => ({ scheduleId: locked.scheduleId, ...gap }));
    await insertGaps(transaction, gaps, locked.now);
  }
  const unpaused = updates.filter(({ locked, state }) => locked.paused && !state.paused);
  await skipAllLeft(
    transaction,
    unpaused.map(({ locked }) => locked.scheduleId),
    updates[0]!.handover.at,
  );
  const goesOn = sql`s.paused and s.paused_until is not distinct from g.paused_until`;
  // If firings were claimed ahead of time, a new version moves `answered_to` back. The rows of firings that were
  // claimed ahead stay, so none of them is claimed twice. A purge erases such rows, but keeps up to when they answered.
  await sql`
    with given as materialized (
      select x.*, (${purgedOf(transaction)} ->> 'answeredTo')::timestamptz as purged_to from jsonb_to_recordset(${JSON.stringify(updates.map(rowOf))}::jsonb) as x (schedule_id text, number int,
        actor text, changed_at timestamptz, answered_to timestamptz, now timestamptz, paused bool, paused_until timestamptz, note text, next_fire_at timestamptz,
        remaining_actions int, completed bool, namespace text, spec jsonb, action jsonb, policies jsonb, args text,
        spec_format int)),
    versioned as (
      insert into ${transaction.table('schedule_versions')}
        (schedule_id, version, namespace, spec, action, args, policies, actor, created_at)
      select schedule_id, number, namespace, spec, action, decode(args, 'base64'), policies, actor, changed_at
      from given where spec is not null),
    changed as (
      update ${transaction.table('schedules')} s set version = g.number, paused = g.paused, note = g.note, spec_error = null,
        set_aside_at = null,
        paused_at = case when not g.paused then null when ${goesOn} then s.paused_at else g.changed_at end,
        paused_by = case when not g.paused then null when ${goesOn} then s.paused_by else g.actor end,
        paused_until = case when g.paused then g.paused_until end,
        unpaused_at = case when s.paused and not g.paused then g.changed_at else s.unpaused_at end,
        unpaused_by = case when s.paused and not g.paused then g.actor else s.unpaused_by end,
        updated_at = g.changed_at
      from given g where s.schedule_id = g.schedule_id)
    update ${transaction.table('timers')} t set spec_format = ${keepingForm(sql`g.spec_format`)}, wake_at = g.now, next_fire_at = g.next_fire_at,
      remaining_actions = g.remaining_actions, seq = t.seq + 1,
      pre_start = case when g.policies is null then t.pre_start else ${preStartOf(sql`g.policies`)} end,
      completed_at = case when g.completed then coalesce(t.completed_at, g.changed_at) end,
      completed_by = case when not g.completed then null when t.completed_at is null then g.actor else t.completed_by end,
      answered_to = greatest(g.answered_to, g.purged_to, case when g.spec is null then t.answered_to end)
    from given g where t.schedule_id = g.schedule_id`.execute(transaction.db);
  const paused = updates.filter(({ locked, state, handover }) => {
    const at = handover.at.getTime();
    return isPausedAt(state, at) && !isPausedAt(locked, at);
  });
  for (const { locked, handover } of paused) await skipWaiting(transaction, [locked.scheduleId], handover.at);
}

/**
 * The version with which the remaining firings of the former definition start: usually the former version. If the
 * former version has values that this program does not know, these firings start with the new version. Triggers that
 * know the values may be gone, and others could only abandon each firing, after it has blocked the schedule for an
 * hour.
 */
function startingVersion(update: ScheduleUpdate): number {
  const { definition, version } = update.locked;
  return problemOfStored(definition) ? numberOf(update) : version;
}

function numberOf({ locked, version }: ScheduleUpdate): number {
  return locked.version + (version ? 1 : 0);
}

function rowOf(update: ScheduleUpdate) {
  const { locked, state, handover, version, actor, completed } = update;
  return {
    schedule_id: locked.scheduleId,
    number: numberOf(update),
    actor,
    changed_at: handover.at,
    answered_to: handover.answeredTo,
    now: locked.now,
    paused: state.paused,
    paused_until: state.pausedUntil,
    note: state.note ?? null,
    next_fire_at: handover.nextFireAt,
    remaining_actions: state.remainingActions ?? null,
    completed,
    spec_format: formatOf({
      spec: (version?.definition ?? locked.definition).spec,
      pausedUntil: state.paused ? state.pausedUntil : null,
    }),
    ...version?.definition,
    args: version?.args ? Buffer.from(version.args).toString('base64') : null,
  };
}

/**
 * The instant of a change: `now` of the locked schedule, but never before the previous change. If an instant went back
 * with the clock, an occurrence that a pause or another definition has answered could be answered again.
 */
export function latest(locked: LockedSchedule): Date {
  return new Date(Math.max(locked.now.getTime(), locked.changedAt.getTime()));
}
