import { type RawBuilder, sql } from 'kysely';
import type { FiringKey, FiringKind, Recovery, RunAgain } from '../../core/firing';
import type { RedriveRequest } from '../../core/letters/redrive';
import type { Store } from '../connection';
import { run } from '../transaction';
import { inMonthsOf, inState, keysTable } from './keys';

export interface StartableFiring extends FiringKey {
  version: number;
  kind: FiringKind;
  actor: string | null;
  namespace: string;
  workflowId: string;
  epoch: number;
  /** How many starts Temporal has finally rejected since the firing was claimed, restarted or run again. */
  startAttempts: number;
  recovery: Recovery | null;
  again: RunAgain | null;
  claimedAt: Date;
  /** When the workflow may begin, for a firing that was claimed ahead of time; null for others. */
  startsAt: Date | null;
  /** When the firing should start; null if unknown, as for a claim of an older program. */
  readyAt: Date | null;
  /** Whether the firing starts after those that are on time, as a backfill, a restart or a late claim does. */
  late: boolean;
  /** Whether an earlier start was announced: that start may have succeeded although its answer never arrived. */
  calledBefore: boolean;
  /** The worker version on which a person chose to restart the firing; null if none. */
  versioningOverride?: RedriveRequest['versioningOverride'] | null;
}

export const STARTABLE = sql`f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.schedule_version as version,
  f.kind, f.actor, f.namespace, f.workflow_id as "workflowId", f.epoch, f.start_attempts as "startAttempts", f.recovery, f.again,
  f.claimed_at as "claimedAt", f.starts_at as "startsAt", f.ready_at as "readyAt", f.late,
  coalesce(f.first_attempted_at < f.start_attempted_at, false) as "calledBefore"`;

export const VERSIONING_OVERRIDE = (
  store: Store,
) => sql`(select l.redrive -> 'versioningOverride' from ${store.table('dead_letters')} l
  where l.schedule_id = f.schedule_id and l.scheduled_time = f.scheduled_time and l.epoch = f.epoch
    and l.state = 'redriving' and l.redrive ? 'versioningOverride' limit 1) as "versioningOverride"`;

/** By how much the clock of a trigger that announces starts may be behind. */
const BEHIND_AT_MOST_MILLISECONDS = 5_000;

/** The instant of an announcement. */
export interface AnnouncedAt {
  /** The time by the trigger's clock. */
  now: Date;
  /** The present time. @default the database's clock, since the clock of a process that was frozen may be behind */
  at: Date | undefined;
}

/**
 * True unless the trigger's clock is behind, as it is right after its machine has slept. Another trigger would assume
 * that calls announced so long ago have ended, and abandon their firings although the calls still go out.
 */
export function isPresent({ now, at }: AnnouncedAt): RawBuilder<boolean> {
  return sql`(coalesce(${at ?? null}::timestamptz, clock_timestamp()) - ${now}::timestamptz
    < ${BEHIND_AT_MOST_MILLISECONDS} * interval '1 millisecond')`;
}

export interface StartKey extends FiringKey {
  /** For how many milliseconds after its first announcement the start may be called again; undefined if it must not. */
  rememberedFor?: number | undefined;
}

/**
 * Announce that start is called for claims that this trigger holds. The row must show the attempt before the start is
 * called, since the call may reach Temporal late. Each announcement of a row has an instant of its own.
 * Withdrawing a later one keeps `first_attempted_at`, and its own instant stays in `start_attempted_at`.
 *
 * @param claimant.at also decides whether `rememberedFor` has passed
 * @returns the announced firings: those that still belong to the caller and were never announced before, or not longer
 * ago than `rememberedFor`; none if the caller's clock is behind
 */
export async function announceAgain(
  store: Store,
  keys: StartKey[],
  claimant: AnnouncedAt & { owner: string; checkAt: Date },
): Promise<StartableFiring[]> {
  const { rows } = await run(
    store,
    sql<StartableFiring>`
    update ${store.table('firings')} f set first_attempted_at = coalesce(f.first_attempted_at, ${claimant.now}), check_at = ${claimant.checkAt},
      start_attempted_at = greatest(${claimant.now}, f.start_attempted_at + interval '1 millisecond')
    from unnest(${keys.map((key) => key.scheduleId)}::text[], ${keys.map((key) => key.scheduledTime)}::timestamptz[],
      ${keys.map((key) => key.rememberedFor ?? null)}::float8[]) as x (schedule_id, scheduled_time, remembered_for)
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inMonthsOf(keys, 'claimed')} and f.owner = ${claimant.owner}
      and ${isPresent(claimant)} and (f.first_attempted_at is null
        or extract(epoch from coalesce(${claimant.at ?? null}::timestamptz, clock_timestamp()) - f.first_attempted_at) * 1000 < x.remembered_for)
    returning ${STARTABLE}, ${VERSIONING_OVERRIDE(store)}`,
  );
  return rows;
}

/**
 * Count one more start that Temporal has finally rejected, and check the firing again at `checkAt`.
 *
 * @returns false, with nothing written, if the firing is no longer claimed or another rejection was counted meanwhile
 */
export async function recordRejection(
  store: Store,
  firing: FiringKey & { startAttempts: number },
  error: string,
  checkAt: Date,
): Promise<boolean> {
  const { rows } = await run(
    store,
    sql`
    update ${store.table('firings')} f set start_attempts = ${firing.startAttempts + 1}, last_error = ${error},
      check_at = ${checkAt}
    where schedule_id = ${firing.scheduleId} and scheduled_time = ${firing.scheduledTime} and ${inState('claimed')}
      and start_attempts = ${firing.startAttempts} returning 1 as one`,
  );
  return rows.length > 0;
}

/**
 * Record why a start failed, do not count it as rejected, and let recovery decide at `checkAt`.
 *
 * @param afterOutage whether the namespace has been away for long, so that earlier refusals say little. @default false
 */
export async function recordDeferral(
  store: Store,
  keys: FiringKey[],
  error: string,
  { checkAt, afterOutage = false }: { checkAt: Date; afterOutage?: boolean },
): Promise<void> {
  if (keys.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set last_error = ${error}, check_at = ${checkAt},
      refused_since = case when not ${afterOutage}::boolean then f.refused_since end
    from ${keysTable(keys)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('claimed')}`,
  );
}

/**
 * Record that a start was refused or not answered although its namespace answers, and since when this is so. The firing
 * is checked again after a quarter of the time for which the start has failed, but at least two seconds and at most a
 * minute.
 *
 * @returns since when the start fails; undefined if the firing is no longer claimed
 */
export async function recordFailing(
  store: Store,
  firing: FiringKey,
  error: string,
  now: Date,
): Promise<Date | undefined> {
  const { rows } = await run(
    store,
    sql<{
      since: Date;
    }>`update ${store.table('firings')} f set last_error = ${error}, refused_since = coalesce(f.refused_since, ${now}),
      check_at = ${now}::timestamptz + greatest(interval '2 seconds', least(interval '1 minute',
        (${now}::timestamptz - coalesce(f.refused_since, ${now})) / 4))
    where schedule_id = ${firing.scheduleId} and scheduled_time = ${firing.scheduledTime} and ${inState('claimed')}
    returning refused_since as since`,
  );
  return rows[0]?.since;
}

/**
 * Withdraw the announcements of firings whose start was not called after all, and make their check due at once. This
 * trigger owns the firings until that check. If they waited for any trigger again, they would start even if their
 * schedule was paused after the announcement.
 */
export async function takeBackAnnouncements(
  store: Store,
  keys: FiringKey[],
  { announcedAt, now }: { announcedAt: Date; now: Date },
): Promise<void> {
  if (keys.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set first_attempted_at = nullif(f.first_attempted_at, ${announcedAt}), check_at = ${now},
      start_attempted_at = case when f.first_attempted_at = ${announcedAt} then null else f.start_attempted_at end
    from ${keysTable(keys)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('claimed')}
      and f.start_attempted_at = ${announcedAt}`,
  );
}

export async function postponeClaims(store: Store, keys: FiringKey[], checkAt: Date): Promise<void> {
  if (keys.length === 0) return;
  await run(
    store,
    sql`update ${store.table('firings')} f set check_at = ${checkAt} from ${keysTable(keys)}
    where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time and ${inState('claimed')}`,
  );
}
