import { type RawBuilder, sql } from 'kysely';
import type { InterruptKind } from '../../core/decisions/overlap';
import { type FiringKey, type FiringKind, nameOf } from '../../core/firing';
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
  version: number;
  epoch: number;
  startAttempts: number;
  startAttemptedAt: Date | null;
  claimedAt: Date;
  linkedAt: Date | null;
  /** When Temporal begins the firing's workflow; null if the firing was not handed over ahead. */
  startsAt: Date | null;
  /** Before this time, a buffered firing of the spec does not start: its jitter still runs. Null for no limit. */
  readyAt: Date | null;
  /** How the firing's chain is to be ended; null if it is not. */
  interrupt: InterruptKind | null;
  /** When that is due; for a claimed firing, not before its link. */
  interruptAt: Date | null;
  /** When Temporal was asked to end the firing's chain. */
  interruptedAt: Date | null;
  /**
   * Whether the firing blocks the schedule. A firing does not block while one of its steps is parked, if the schedule
   * allows that.
   */
  holds: boolean;
}

const COLUMNS = sql`f.schedule_id as "scheduleId", f.scheduled_time as "scheduledTime", f.state, f.kind, f.overlap,
  f.workflow_id as "workflowId", f.run_id as "runId", f.namespace, f.schedule_version as version, f.epoch, f.start_attempts as "startAttempts",
  f.start_attempted_at as "startAttemptedAt", f.claimed_at as "claimedAt", f.linked_at as "linkedAt",
  f.starts_at as "startsAt", f.ready_at as "readyAt", f.interrupt, f.interrupt_at as "interruptAt",
  f.interrupted_at as "interruptedAt"`;

/**
 * If the schedules of a claim have more running firings than this in all, some that change no decision are left out.
 */
const READ_AT_MOST = 5_000;

export interface FiringsOfLocked {
  open: OpenFiring[];
  taken: FiringKey[];
}

/** The nominal times from `from` up to, but not including, `before`. */
export interface ReplacedTimes {
  from: Date;
  before: Date;
}

export interface LockedSchedules {
  schedules: {
    scheduleId: string;
    /** The overlap policy of firings that have none of their own. */
    overlap: OverlapPolicy;
    /** Whether the schedule limits how many of its firings may run, also under `ALLOW_ALL`. */
    isCapped: boolean;
    /** Whether a freeze holds back the firings of the spec. */
    isFrozen: boolean;
    /** Whether buffered firings of the spec are skipped, whether the schedule is full or not. */
    skips: boolean;
    /** The nominal times of the buffered firings of the spec that planned ones replace. @default none */
    replaces?: ReplacedTimes | undefined;
  }[];
  /**
   * Schedules whose running firings may delay or stop the next firing, and how many running firings fill each schedule.
   * For other schedules, running firings matter only if another firing is buffered.
   */
  holdable: { scheduleId: string; full: number }[];
  /** Schedules that may start the next firing while a step of the previous one is parked. */
  lettingGo: string[];
  planned: FiringKey[];
}

/**
 * Reads the open firings of locked schedules, and those `planned` keys that already have a row. For each schedule this
 * returns at most `waitingAtMost` buffered firings, the oldest ones. In addition, it returns up to `waitingAtMost` of
 * each further kind: buffered firings that need not wait or are skipped, those that are replaced, and, during a freeze,
 * those that a person requested. It may return only the oldest running firings: as many as fill the schedule, and at
 * least `waitingAtMost`. The caller must take the locks in an earlier statement, since the snapshot of that statement
 * is older than its wait for the locks.
 */
export async function readFiringsOfLocked(
  transaction: Store,
  { schedules, holdable, lettingGo, planned }: LockedSchedules,
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
    (select 'holding' as found, ${COLUMNS}, ${holds(transaction, lettingGo)} as holds from ${firings} f
      where schedule_id = any(${holdable.map((one) => one.scheduleId)}::text[]) and state in ('claimed', 'linked')
      limit ${READ_AT_MOST + 1})
    union all select 'waits', f.* from unnest(${schedules.map((one) => one.scheduleId)}::text[]) as s (schedule_id) cross join lateral (
      select ${COLUMNS}, true from ${firings} f where schedule_id = s.schedule_id and state = 'buffered' limit 1) f
    ${taken}`.execute(transaction.db);
  const found = (what: string) => rows.filter((row) => row.found === what);
  const withWaiting = new Set(found('waits').map((row) => row.scheduleId));
  const waitedFor = schedules.filter(({ scheduleId }) => withWaiting.has(scheduleId));
  const holdables = new Set(holdable.map((one) => one.scheduleId));
  const overtaken = waitedFor
    .filter(({ scheduleId }) => !holdables.has(scheduleId))
    .map(({ scheduleId }) => ({ scheduleId, full: 1 }));
  const whole = found('holding');
  const isWhole = whole.length <= READ_AT_MOST;
  const open = [
    ...(isWhole ? whole : []),
    ...(await readHolding(
      transaction,
      { running: isWhole ? overtaken : [...holdable, ...overtaken], lettingGo },
      waitingAtMost,
    )),
    ...(await readWaiting(transaction, waitedFor, waitingAtMost)),
  ];
  return { open: open.sort(byKey), taken: found('taken') };
}

async function readHolding(
  transaction: Store,
  { running, lettingGo }: { running: LockedSchedules['holdable']; lettingGo: string[] },
  atLeast: number,
): Promise<OpenFiring[]> {
  if (running.length === 0) return [];
  const firings = transaction.table('firings');
  const isHolding = holds(transaction, lettingGo);
  const some = (among: { scheduleId: string; most: number }[], condition: RawBuilder<unknown>) => sql`
    select f.* from unnest(${among.map((one) => one.scheduleId)}::text[], ${among.map(({ most }) => most)}::int[])
      as s (schedule_id, most) cross join lateral (
      select ${COLUMNS}, ${isHolding} as holds from ${firings} f
      where schedule_id = s.schedule_id and state in ('claimed', 'linked') and ${condition}
      order by scheduled_time limit s.most) f`;
  const filling = running.map(({ scheduleId, full }) => ({ scheduleId, most: Math.max(full, atLeast) }));
  // One firing that does not block shows that the schedule has open firings.
  const { rows } = await sql<OpenFiring>`${some(filling, isHolding)}
    union all ${some(
      lettingGo.map((scheduleId) => ({ scheduleId, most: 1 })),
      sql`not ${isHolding}`,
    )}`.execute(transaction.db);
  return rows;
}

/**
 * True unless the firing waits as under BUFFER_ALL while its schedule is full. Under BUFFER_ONE, a claim skips all
 * waiting firings but one, so it must read all of them.
 */
const NEED_NOT_WAIT = sql`coalesce(f.overlap, s.overlap)
  <> all (case when s.is_capped then array['BUFFER_ALL', 'ALLOW_ALL'] else array['BUFFER_ALL'] end)`;

const IS_OF_SPEC = sql`kind || '' in ('schedule', 'catchup')`;

/**
 * The condition is written as a range of times, which no index supports. So Postgres finds these firings by their
 * schedule, in the index on open firings.
 */
const IS_REPLACED = sql`tstzrange(s.replaces_from, s.replaces_before) @> scheduled_time and ${IS_OF_SPEC}`;

async function readWaiting(
  transaction: Store,
  waitedFor: LockedSchedules['schedules'],
  waitingAtMost: number,
): Promise<OpenFiring[]> {
  if (waitedFor.length === 0) return [];
  const firings = transaction.table('firings');
  const oldest = (among: LockedSchedules['schedules'], condition: RawBuilder<unknown>) => sql`
    select f.* from unnest(${among.map((one) => one.scheduleId)}::text[], ${among.map((one) => one.overlap)}::text[],
      ${among.map((one) => one.isCapped)}::boolean[], ${among.map((one) => one.skips)}::boolean[],
      ${among.map((one) => one.replaces?.from ?? null)}::timestamptz[], ${among.map((one) => one.replaces?.before ?? null)}::timestamptz[])
      as s (schedule_id, overlap, is_capped, skips, replaces_from, replaces_before) cross join lateral (
      select ${COLUMNS}, true as holds from ${firings} f
      where schedule_id = s.schedule_id and state = 'buffered' and ${condition}
      order by scheduled_time limit ${waitingAtMost}) f`;
  const { rows } = await sql<OpenFiring>`${oldest(waitedFor, sql`true`)}`.execute(transaction.db);
  const counts = new Map<string, number>();
  for (const { scheduleId } of rows) counts.set(scheduleId, (counts.get(scheduleId) ?? 0) + 1);
  const cut = waitedFor.filter(({ scheduleId }) => counts.get(scheduleId)! >= waitingAtMost);
  if (cut.length === 0) return rows;
  // All firings that were read may have to wait, for others or for the end of a freeze. So those that need not wait are
  // read too, and, during a freeze, those that a person requested. Firings that this plan replaces are read separately,
  // since no other plan replaces them.
  const frozen = cut.filter(({ isFrozen }) => isFrozen);
  const replacing = cut.filter(({ replaces }) => replaces);
  const { rows: behind } = await sql<OpenFiring>`
    ${oldest(cut, sql`(${NEED_NOT_WAIT} or s.skips and ${IS_OF_SPEC})`)}
    union all ${oldest(replacing, IS_REPLACED)}
    union all ${oldest(frozen, sql`kind || '' in ('backfill', 'manual')`)}`.execute(transaction.db);
  return [...new Map([...rows, ...behind].map((firing) => [nameOf(firing), firing])).values()];
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
