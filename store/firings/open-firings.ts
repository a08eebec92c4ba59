import { type RawBuilder, sql } from 'kysely';
import type { FiringKey, FiringKind } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule';
import type { Store } from '../connection';
import { isParked } from '../letters/parked-firings';
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
  /** Whether the schedule does not go on without it, as it may while a step of it is parked. */
  holds: boolean;
}

const COLUMNS = sql`f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.state, f.kind, f.overlap,
  f.workflow_id as "workflowId", f.run_id as "runId", f.namespace, f.epoch, f.start_attempts as "startAttempts",
  f.start_attempted_at as "startAttemptedAt", f.claimed_at as "claimedAt", f.linked_at as "linkedAt",
  f.interrupted_at as "interruptedAt"`;

/**
 * As the index of what is open has it. The state and the kind that are meant are compared as expressions, so that no
 * partial index serves. Those in the order of time hold few rows of many schedules, and the planner is misled by that.
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
  /** Those of them that go on while a step of a firing is parked. */
  lettingGo: string[];
  /** Occurrences that are to be decided. */
  planned: FiringKey[];
}

/**
 * Firings that hold locked schedules, and those that wait for them. Of each schedule these are the oldest
 * `waitingAtMost`, and as many of those that a person asked for, which may overlap. Besides, those of the `planned`
 * keys that have a row. Must be statements of their own after the lock: the one that locks still sees what was there
 * before it waited.
 */
export async function readFiringsOfLocked(
  transaction: Store,
  { scheduleIds, holdable, lettingGo, planned }: LockedSchedules,
  waitingAtMost: number,
): Promise<FiringsOfLocked> {
  const firings = transaction.table('firings');
  // Key by key: the offset keeps the planner from reading a month for the few that it takes an instant to hold.
  const taken =
    planned.length === 0
      ? sql``
      : sql`union all select 'taken', f.* from ${keysTable(planned)} cross join lateral (
          select ${COLUMNS}, true from ${firings} f where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
            and ${inMonthsOf(planned)} offset 0) f`;
  // Mostly nothing waits: of each schedule one row tells.
  const { rows } = await sql<OpenFiring & { found: 'holding' | 'waits' | 'taken' }>`
    select 'holding' as found, ${COLUMNS}, ${holds(transaction, lettingGo)} as holds from ${firings} f
      where schedule_id = any(${holdable}) and state in ('claimed', 'linked')
    union all select 'waits', f.* from unnest(${scheduleIds}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS}, true from ${firings} f where schedule_id = s.schedule_id and ${OPEN} and state || '' = 'buffered'
      limit 1) f
    ${taken}`.execute(transaction.db);
  const found = (what: string) => rows.filter((row) => row.found === what);
  const waitedFor = found('waits').map((row) => row.scheduleId);
  const holdables = new Set(holdable);
  const overtaken = waitedFor.filter((scheduleId) => !holdables.has(scheduleId));
  const waiting =
    waitedFor.length === 0 ? [] : await readWaiting(transaction, { waitedFor, overtaken, lettingGo }, waitingAtMost);
  return { open: [...found('holding'), ...waiting].sort(byKey), taken: found('taken') };
}

/** What waits, and what runs beside it of schedules that nothing holds. */
async function readWaiting(
  transaction: Store,
  { waitedFor, overtaken, lettingGo }: Record<'waitedFor' | 'overtaken' | 'lettingGo', string[]>,
  waitingAtMost: number,
): Promise<OpenFiring[]> {
  const firings = transaction.table('firings');
  const waiting = (condition: ReturnType<typeof sql>) => sql`
    select f.* from unnest(${waitedFor}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS}, true from ${firings} f where schedule_id = s.schedule_id and ${OPEN} and state || '' = 'buffered'
        and ${condition}
      order by scheduled_time limit ${waitingAtMost}) f`;
  const { rows } = await sql<OpenFiring>`
    select ${COLUMNS}, ${holds(transaction, lettingGo)} as holds from ${firings} f
      where schedule_id = any(${overtaken}) and state in ('claimed', 'linked')
    union all ${waiting(sql`kind || '' <> 'manual'`)}
    union all ${waiting(sql`kind || '' = 'manual'`)}`.execute(transaction.db);
  return rows;
}

/** The letters of the others are not read: mostly there is no schedule that lets go. */
function holds(transaction: Store, lettingGo: string[]): RawBuilder<unknown> {
  if (lettingGo.length === 0) return sql`true`;
  return sql`not (f.schedule_id = any(${lettingGo}) and ${isParked(transaction, 'f')})`;
}

function byKey(one: FiringKey, other: FiringKey): number {
  if (one.scheduleId !== other.scheduleId) return one.scheduleId < other.scheduleId ? -1 : 1;
  return one.scheduledTime.getTime() - other.scheduledTime.getTime();
}
