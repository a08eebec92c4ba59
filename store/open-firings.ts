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

/** Locked schedules of which something is to be decided. */
export interface LockedSchedules {
  scheduleIds: string[];
  /** Those of them whose firings may hold the next one: of the others what runs matters only where something waits. */
  holdable: string[];
  /** Occurrences that are to be decided. */
  planned: FiringKey[];
}

/**
 * Firings that hold locked schedules, and those that wait for them: of each schedule the oldest `waitingAtMost`, and as
 * many of those that a person asked for, which may overlap; and those of the `planned` keys that have a row. Must be
 * statements of their own after the lock: the one that locks still sees what was there before it waited.
 */
export async function readFiringsOfLocked(
  transaction: Store,
  { scheduleIds, holdable, planned }: LockedSchedules,
  waitingAtMost: number,
): Promise<FiringsOfLocked> {
  const firings = transaction.table('firings');
  // Key by key: the offset keeps the planner from reading a month for the few that it takes an instant to hold.
  const taken =
    planned.length === 0
      ? sql``
      : sql`union all select 'taken', f.* from ${keysTable(planned)} cross join lateral (
          select ${COLUMNS} from ${firings} f where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
            and ${inMonthsOf(planned)} offset 0) f`;
  // Mostly nothing waits: of each schedule one row tells.
  const { rows } = await sql<OpenFiring & { found: 'holding' | 'waits' | 'taken' }>`
    select 'holding' as found, ${COLUMNS} from ${firings}
      where schedule_id = any(${holdable}) and state in ('claimed', 'linked')
    union all select 'waits', f.* from unnest(${scheduleIds}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS} from ${firings} where schedule_id = s.schedule_id and ${OPEN} and state || '' = 'buffered'
      limit 1) f
    ${taken}`.execute(transaction.db);
  const found = (what: string) => rows.filter((row) => row.found === what);
  const waitedFor = found('waits').map((row) => row.scheduleId);
  const holdables = new Set(holdable);
  const overtaken = waitedFor.filter((scheduleId) => !holdables.has(scheduleId));
  const waiting = waitedFor.length === 0 ? [] : await readWaiting(transaction, { waitedFor, overtaken }, waitingAtMost);
  return { open: [...found('holding'), ...waiting].sort(byKey), taken: found('taken') };
}

/** What waits, and what runs beside it of schedules that nothing holds. */
async function readWaiting(
  transaction: Store,
  { waitedFor, overtaken }: { waitedFor: string[]; overtaken: string[] },
  waitingAtMost: number,
): Promise<OpenFiring[]> {
  const firings = transaction.table('firings');
  const waiting = (condition: ReturnType<typeof sql>) => sql`
    select f.* from unnest(${waitedFor}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS} from ${firings} where schedule_id = s.schedule_id and ${OPEN} and state || '' = 'buffered'
        and ${condition}
      order by scheduled_time limit ${waitingAtMost}) f`;
  const { rows } = await sql<OpenFiring>`
    select ${COLUMNS} from ${firings} where schedule_id = any(${overtaken}) and state in ('claimed', 'linked')
    union all ${waiting(sql`kind || '' <> 'manual'`)}
    union all ${waiting(sql`kind || '' = 'manual'`)}`.execute(transaction.db);
  return rows;
}

function byKey(one: FiringKey, other: FiringKey): number {
  if (one.scheduleId !== other.scheduleId) return one.scheduleId < other.scheduleId ? -1 : 1;
  return one.scheduledTime.getTime() - other.scheduledTime.getTime();
}
