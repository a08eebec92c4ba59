import { sql } from 'kysely';
import type { FiringKey, FiringKind } from '../core/firing';
import type { OverlapPolicy } from '../core/schedule';
import type { Store } from './connection';
import { inMonthsOf, keysTable } from './start';

/** A firing that holds its schedule, or waits for it. */
export interface OpenFiring extends FiringKey {
  state: 'buffered' | 'claimed' | 'linked';
  kind: FiringKind;
  /** Its own overlap policy, where the schedule's does not hold. */
  overlap: OverlapPolicy | null;
  workflowId: string | null;
  runId: string | null;
  namespace: string;
  epoch: number;
  startAttempts: number;
  startAttemptedAt: Date | null;
  claimedAt: Date;
  linkedAt: Date | null;
  /** When Temporal was told to end its chain. */
  interruptedAt: Date | null;
}

const COLUMNS = sql`schedule_id as "scheduleId", scheduled_time as "scheduledTime", state, kind, overlap,
  workflow_id as "workflowId", run_id as "runId", namespace, epoch, start_attempts as "startAttempts",
  start_attempted_at as "startAttemptedAt", claimed_at as "claimedAt", linked_at as "linkedAt",
  interrupted_at as "interruptedAt"`;

/**
 * Firings that hold locked schedules, and those that wait for them: of each schedule the oldest `waitingAtMost`, and as
 * many of those that a person asked for, which may overlap. Must be a statement of its own after the lock: the one that
 * locks still sees what was there before it waited.
 */
export async function readOpenFirings(
  transaction: Store,
  scheduleIds: string[],
  waitingAtMost: number,
): Promise<OpenFiring[]> {
  const firings = transaction.table('firings');
  const waiting = (condition: ReturnType<typeof sql>) => sql`
    select f.* from unnest(${scheduleIds}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS} from ${firings} where schedule_id = s.schedule_id and state = 'buffered' and ${condition}
      order by scheduled_time limit ${waitingAtMost}) f`;
  const { rows } = await sql<OpenFiring>`
    select ${COLUMNS} from ${firings} where schedule_id = any(${scheduleIds}) and state in ('claimed', 'linked')
    union all ${waiting(sql`kind <> 'manual'`)}
    union all ${waiting(sql`kind = 'manual'`)}
    order by "scheduleId", "scheduledTime"`.execute(transaction.db);
  return rows;
}

/** Those of the keys that have a row already, in whatever state. Read under the schedules' locks. */
export async function readTaken(transaction: Store, keys: FiringKey[]): Promise<FiringKey[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<FiringKey>`
    select f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime"
    from ${transaction.table('firings')} f join ${keysTable(keys)} using (schedule_id, scheduled_time)
    where ${inMonthsOf(keys)}`.execute(transaction.db);
  return rows;
}
