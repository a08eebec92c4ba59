import { sql } from 'kysely';
import type { FiringKind, FiringOutcome, FiringState, Recovery, RunAgain } from '../../core/firing';
import type { Store } from '../connection';
import type { LockedSchedule } from '../schedules/lock';

/** A firing as people and programs see it. */
export interface Firing {
  /** The ID of the firing's schedule. */
  scheduleId: string;
  /** The nominal time; the nominal time of a manual firing has milliseconds. */
  scheduledTime: Date;
  /** The firing's state. */
  state: FiringState;
  /** How the workflow chain ended, once `closed`. */
  outcome: FiringOutcome | null;
  /** Why the firing was skipped or abandoned. */
  reason: string | null;
  /** Why the firing exists. */
  kind: FiringKind;
  /** Who requested or excluded the firing; null if nobody did. */
  actor: string | null;
  /** The Temporal namespace in which the firing's workflow starts. */
  namespace: string;
  /** The schedule version with which the firing was claimed. */
  scheduleVersion: number;
  /** The workflow ID; null if no workflow was to start. */
  workflowId: string | null;
  /** The run ID of the chain's first run. */
  runId: string | null;
  /** How many starts Temporal has finally rejected since the firing was claimed, restarted or run again. */
  startAttempts: number;
  /** How often other triggers took the firing over, and when and why the last time. */
  recovery: Recovery | null;
  /** Who asked to run the firing again, when and why; null if nobody did. */
  again: RunAgain | null;
  /** Why the last attempt to start the firing failed. */
  lastError: string | null;
  /**
   * Why the firing's running chain makes no progress: `no_worker`, `task_failing`, `paused`; null if no problem is
   * known.
   */
  stalled: string | null;
  /** When the firing's workflow may begin, if it was handed to Temporal ahead of time; otherwise null. */
  startsAt: Date | null;
  /** When the firing was buffered, claimed, skipped or requested. */
  claimedAt: Date;
  /** When the ledger recorded the start of the firing's workflow. */
  linkedAt: Date | null;
  /**
   * When the firing's workflow ended, by Temporal's clock; for a claim that was skipped or abandoned, when that
   * happened.
   */
  closedAt: Date | null;
}

export const FIRING_COLUMNS = sql`schedule_id as "scheduleId", scheduled_time as "scheduledTime", state, outcome, reason, kind, actor,
  namespace, schedule_version as "scheduleVersion", workflow_id as "workflowId", run_id as "runId",
  start_attempts as "startAttempts",
  case when jsonb_typeof(recovery -> 'number') = 'number' and jsonb_typeof(recovery -> 'reason') = 'string' then recovery end as recovery,
  case when jsonb_typeof(again -> 'actor') = 'string' then again end as again, last_error as "lastError", stalled, starts_at as "startsAt", claimed_at as "claimedAt",
  linked_at as "linkedAt", closed_at as "closedAt"`;

export async function readFiring(store: Store, scheduleId: string, scheduledTime: Date): Promise<Firing | undefined> {
  const { rows } = await sql<Firing>`select ${FIRING_COLUMNS} from ${store.table('firings')}
    where schedule_id = ${scheduleId} and scheduled_time = ${scheduledTime}`.execute(store.db);
  return rows[0];
}

/** A schedule's firings that were claimed ahead, and that are not linked yet or whose start time is still to come. */
export async function readHandedOver(
  store: Store,
  { scheduleId, now }: Pick<LockedSchedule, 'scheduleId' | 'now'>,
): Promise<Firing[]> {
  const { rows } = await sql<Firing>`select ${FIRING_COLUMNS} from ${store.table('firings')}
    where schedule_id = ${scheduleId}
      and (state = 'claimed' and starts_at is not null or state = 'linked' and starts_at > ${now})
    order by scheduled_time`.execute(store.db);
  return rows;
}

/** Firings that were buffered, claimed, skipped or requested in `[from, to]`, in the order of their nominal times. */
export async function readFiringsSettled(store: Store, from: Date, to: Date): Promise<Firing[]> {
  const { rows } = await sql<Firing>`select ${FIRING_COLUMNS} from ${store.table('firings')}
    where claimed_at between ${from} and ${to} order by scheduled_time, schedule_id`.execute(store.db);
  return rows;
}
