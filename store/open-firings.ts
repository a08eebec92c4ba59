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
 * As the index of what is open has it. The state and the kind that are meant are compared as expressions, which no partial
 * index knows: those in the order of time hold few rows of many schedules, and the planner is misled by that.
 */
const OPEN = sql`state in ('buffered', 'claimed', 'linked')`;

/** What is open of locked schedules, and which planned occurrences have a row already, in whatever state. */
export interface FiringsOfLocked {
  open: OpenFiring[];
  taken: FiringKey[];
}

/**
 * Firings that hold locked schedules, and those that wait for them: of each schedule the oldest `waitingAtMost`, and as
 * many of those that a person asked for, which may overlap; and those of the `planned` keys that have a row. Must be a
 * statement of its own after the lock: the one that locks still sees what was there before it waited.
 */
export async function readFiringsOfLocked(
  transaction: Store,
  scheduleIds: string[],
  planned: FiringKey[],
  waitingAtMost: number,
): Promise<FiringsOfLocked> {
  const firings = transaction.table('firings');
  const waiting = (condition: ReturnType<typeof sql>) => sql`
    select f.*, false as taken from unnest(${scheduleIds}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS} from ${firings} where schedule_id = s.schedule_id and ${OPEN} and state || '' = 'buffered'
        and ${condition}
      order by scheduled_time limit ${waitingAtMost}) f`;
  const taken =
    planned.length === 0
      ? sql``
      : sql`union all select ${COLUMNS}, true from ${firings} f
          join ${keysTable(planned)} using (schedule_id, scheduled_time) where ${inMonthsOf(planned)}`;
  const { rows } = await sql<OpenFiring & { taken: boolean }>`
    select ${COLUMNS}, false as taken from ${firings}
      where schedule_id = any(${scheduleIds}) and state in ('claimed', 'linked')
    union all ${waiting(sql`kind || '' <> 'manual'`)}
    union all ${waiting(sql`kind || '' = 'manual'`)}
    ${taken}
    order by "scheduleId", "scheduledTime"`.execute(transaction.db);
  return { open: rows.filter((row) => !row.taken), taken: rows.filter((row) => row.taken) };
}
