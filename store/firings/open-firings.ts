import { type RawBuilder, sql } from 'kysely';
import type { InterruptKind } from '../../core/decisions/overlap';
import type { FiringKey, FiringKind } from '../../core/firing';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../connection';
import { isParked } from '../letters/parked-firings';
import { inMonthsOf, keysTable } from './keys';

/** An open firing: a claimed or linked one, which mostly blocks its schedule, or a buffered one. */
export interface OpenFiring extends FiringKey {
  state: 'buffered' | 'claimed' | 'linked';
  kind: FiringKind;
  /** The firing's own overlap policy; null if the schedule's policy applies. */
  overlap: OverlapPolicy | null;
  workflowId: string | null;
  runId: string | null;
  namespace: string;
  epoch: number;
  startAttempts: number;
  startAttemptedAt: Date | null;
  claimedAt: Date;
  linkedAt: Date | null;
  /** Of a buffered firing: before this time it does not start, since its jitter still runs; null for no limit. */
  readyAt: Date | null;
  /** How the firing's chain is to be ended; null if it is not. */
  interrupt: InterruptKind | null;
  /** When Temporal was asked to end the firing's chain. */
  interruptedAt: Date | null;
  /**
   * Whether the firing blocks the schedule. A firing does not block while one of its steps is parked, if the schedule
   * allows that.
   */
  holds: boolean;
}

const COLUMNS = sql`f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.state, f.kind, f.overlap,
  f.workflow_id as "workflowId", f.run_id as "runId", f.namespace, f.epoch, f.start_attempts as "startAttempts",
  f.start_attempted_at as "startAttemptedAt", f.claimed_at as "claimedAt", f.linked_at as "linkedAt",
  f.ready_at as "readyAt", f.interrupt, f.interrupted_at as "interruptedAt"`;

/**
 * The condition of the index on open firings. Where a query compares `state` or `kind` as an expression, the planner
 * cannot choose another partial index by it.
 */
const OPEN = sql`state in ('buffered', 'claimed', 'linked')`;

export interface FiringsOfLocked {
  open: OpenFiring[];
  taken: FiringKey[];
}

export interface LockedSchedules {
  scheduleIds: string[];
  /**
   * Schedules whose running firings may block the next firing. For other schedules, running firings matter only if
   * another firing is buffered.
   */
  holdable: string[];
  /** Schedules that may start the next firing while a step of the previous one is parked. */
  lettingGo: string[];
  planned: FiringKey[];
}

/**
 * Reads the open firings of locked schedules, and those `planned` keys that already have a row. For each schedule this
 * returns at most `waitingAtMost` buffered manual firings and as many other buffered firings, the oldest ones. This
 * read must come after the statement that locks, whose snapshot is older than its wait for the lock.
 */
export async function readFiringsOfLocked(
  transaction: Store,
  { scheduleIds, holdable, lettingGo, planned }: LockedSchedules,
  waitingAtMost: number,
): Promise<FiringsOfLocked> {
  const firings = transaction.table('firings');
  // Each key is looked up by itself: the `offset` keeps the planner, which expects few rows at one instant, from
  // reading a whole month.
  const taken =
    planned.length === 0
      ? sql``
      : sql`union all select 'taken', f.* from ${keysTable(planned)} cross join lateral (
          select ${COLUMNS}, true from ${firings} f where f.schedule_id = x.schedule_id and f.scheduled_time = x.scheduled_time
            and ${inMonthsOf(planned)} offset 0) f`;
  // One buffered firing of a schedule shows that more must be read.
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

/** The buffered firings, and the running firings of schedules in which no firing blocks another. */
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

/** Letters are read only for schedules that continue while a step is parked. */
function holds(transaction: Store, lettingGo: string[]): RawBuilder<unknown> {
  if (lettingGo.length === 0) return sql`true`;
  return sql`not (f.schedule_id = any(${lettingGo}) and ${isParked(transaction, 'f')})`;
}

function byKey(one: FiringKey, other: FiringKey): number {
  if (one.scheduleId !== other.scheduleId) return one.scheduleId < other.scheduleId ? -1 : 1;
  return one.scheduledTime.getTime() - other.scheduledTime.getTime();
}
