import { type RawBuilder, sql } from 'kysely';
import type { FiringKey, FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import type { FailedStep, ParkedStep } from '../../core/letters/failed-step';
import { legibleStep } from '../../core/letters/legible-step';
import type { LetterKind, RedriveRequest } from '../../core/letters/redrive';
import type { Store } from '../connection';
import type { PagePart } from '../firings/due-checks';
import { lockTimers } from '../schedules/lock-timers';
import { instantIn, numberIn } from '../text';
import { run, transact } from '../transaction';
import { capacityOf, hasRoom, isItsTurn } from './redrive-turns';

/** open → redriving: record a redrive that a trigger will carry out. The caller holds the schedule's lock. */
export async function askForRedrive(
  transaction: Store,
  letterId: string,
  asked: { request: RedriveRequest; actor: string; note: string | undefined; now: Date },
): Promise<void> {
  await sql`update ${transaction.table('dead_letters')} set state = 'redriving', redrive = ${JSON.stringify(asked.request)}::jsonb,
      actor = ${asked.actor}, note = ${asked.note ?? null}, updated_at = ${asked.now}
    where letter_id = ${letterId} and state = 'open'`.execute(transaction.db);
}

/** open → discarded, with a person's reason. The caller holds the schedule's lock. */
export async function discardLetter(
  transaction: Store,
  letterId: string,
  { actor, note, now }: { actor: string; note: string; now: Date },
): Promise<void> {
  await sql`update ${transaction.table('dead_letters')} set state = 'discarded', actor = ${actor}, note = ${note}, updated_at = ${now}
    where letter_id = ${letterId} and state = 'open'`.execute(transaction.db);
}

/** A redrive that a trigger should carry out, with the current state of the letter's firing. */
export interface PendingRedrive extends FiringKey {
  letterId: string;
  letterKind: LetterKind;
  reason: string;
  request: RedriveRequest;
  /** Who asked for the redrive; null if no person did. */
  actor: string | null;
  /** The state of the firing; null if the ledger no longer has the firing. */
  state: FiringState | null;
  /** The firing's outcome; null until it is closed. */
  outcome: FiringOutcome | null;
  /** Whether the chain of a closed firing is still polled: if it is found running, the firing becomes linked again. */
  isWatched: boolean;
  kind: FiringKind;
  namespace: string;
  tenant: string;
  workflowId: string;
  runId: string | null;
  epoch: number;
  /** The schedule version with which the firing was claimed, and the current one. */
  version: number;
  currentVersion: number;
  failedStep: (FailedStep & { burial?: number }) | null;
  /** For a letter of a parked step: the step, with the run that parked it. Null for other letters. */
  parked: (ParkedStep & { runId: string }) | null;
}

export type RedriveKey = FiringKey & Pick<PendingRedrive, 'letterId'>;

export interface RedriveQuery {
  now: Date;
  /** No other trigger takes the taken redrives until this time. */
  lookAt: Date;
  paceSince: Date;
  withoutNamespaces: string[];
  limit: number;
}

/**
 * The pace of a letter `l`: the bulk redrives of one tenant share a pace, and so do those of all clients without a
 * tenant.
 */
const PACE_OF = sql`coalesce(l.redrive ->> 'paceOf', '')`;

/**
 * When a letter `l` is due. If this version cannot read the instant, it leaves the letter to triggers of other
 * versions.
 */
const LOOK_AT = instantIn(sql`l.redrive`, 'lookAt');

/** SQL that selects the batch of letters `l` with due redrives, to be placed after `with`. */
function dueRedrives(store: Store, query: RedriveQuery, { without, only }: PagePart<RedriveKey>): RawBuilder<unknown> {
  const letters = store.table('dead_letters');
  const seconds = (query.now.getTime() - query.paceSince.getTime()) / 1_000;
  const isLeftOut = sql`l.namespace = any(${query.withoutNamespaces}::text[])`;
  // A letter in a namespace that is left out must not hold up those of its schedule in other namespaces.
  return sql`pending as (
      select l.letter_id, l.schedule_id, l.scheduled_time, l.kind, l.redrive, l.redrive ? 'inTurn' as in_turn,
        ${isLeftOut} as is_left_out,
        rank() over (partition by l.schedule_id, l.redrive ? 'inTurn', ${isLeftOut} order by l.scheduled_time) as turn
      from ${letters} l where l.state = 'redriving' and l.redrive ? 'lookAt'),
    capacities as materialized (
      select l.schedule_id, ${capacityOf(store)} as capacity
      from (select distinct schedule_id from pending where in_turn) l),
    due as (
      select l.letter_id, l.scheduled_time, l.in_turn, ${PACE_OF} as pace_of, ${numberIn(sql`l.redrive`, 'perSecond')} as per_second
      from pending l left join capacities c using (schedule_id)
      where ${LOOK_AT} <= ${query.now} and not l.is_left_out
        and l.schedule_id <> all(${without}::text[])
        and (not l.in_turn or ${isItsTurn(store, sql`l.turn`, sql`c.capacity`)})),
    -- A redrive counts from when it is taken, so that several triggers share a pace. The index on the time of a change
    -- holds redriven letters alone; taking a redrive does not change that time.
    counted as materialized (select pace_of, count(*) as count from (
        select ${PACE_OF} as pace_of, coalesce(${instantIn(sql`l.redrive`, 'takenAt')}, ${instantIn(sql`l.redrive`, 'carriedOutAt')}) as at
        from ${letters} l where l.state in ('redriving', 'resolved', 'open') and l.redrive is not null
          and not l.redrive ? 'lookAt' and l.updated_at > ${query.paceSince}
        union all select ${PACE_OF}, ${instantIn(sql`l.redrive`, 'takenAt')} from pending l) x
      -- An instant in the future was written by a clock that was wrong.
      where at > ${query.paceSince} and at <= ${query.now}::timestamptz + interval '1 minute' group by 1),
    -- What is left of each pace. Single redrives and expired steps count too.
    ranked as (
      select d.letter_id, d.in_turn, row_number() over (partition by d.in_turn, pace_of order by d.scheduled_time, d.letter_id) as rank,
        greatest(1, min(d.per_second) over (partition by pace_of) * ${seconds}::numeric) - coalesce(c.count, 0) as room
      from due d left join counted c using (pace_of)),
    page as (
      -- Each letter is looked up by its key. By the index on states, all letters that wait would be read.
      -- Single redrives come first, and then one of each pace in turn: a fast one holds up no other.
      select l.letter_id, l.schedule_id, l.scheduled_time
      from (select letter_id, case when in_turn then rank else 0 end as turn from ranked where not in_turn or rank <= coalesce(room, rank)) r
        join ${letters} l using (letter_id)
      -- Checked once more on the locked row: another trigger may have taken it since the read.
      where l.state || '' = 'redriving' and ${LOOK_AT} <= ${query.now}
        and ${only ? sql`l.letter_id = any(${only.map((one) => one.letterId)}::uuid[])` : sql`true`}
      order by r.turn, l.created_at, l.letter_id limit ${query.limit} for no key update of l skip locked)`;
}

export async function readDueRedrives(
  store: Store,
  query: RedriveQuery,
  part: PagePart<RedriveKey>,
): Promise<RedriveKey[]> {
  const { rows } = await sql<RedriveKey>`with ${dueRedrives(store, query, part)}
    select letter_id as "letterId", schedule_id as "scheduleId", scheduled_time as "scheduledTime" from page`.execute(
    store.db,
  );
  return rows;
}

export async function takeRedrives(
  store: Store,
  query: RedriveQuery,
  part: PagePart<RedriveKey> = { without: [] },
): Promise<PendingRedrive[]> {
  const letters = store.table('dead_letters');
  const { rows } = await run(
    store,
    sql<PendingRedrive>`
    with ${dueRedrives(store, query, part)},
    taken as (
      update ${letters} l set redrive = l.redrive || jsonb_build_object('lookAt', ${query.lookAt.toISOString()}::text, 'takenAt', ${query.now.toISOString()}::text)
      from page p where l.letter_id = p.letter_id returning l.*)
    select l.letter_id as "letterId", l.kind as "letterKind", l.reason, l.redrive as request, l.actor,
      l.schedule_id as "scheduleId", l.scheduled_time as "scheduledTime", f.state, f.outcome, f.check_at is not null as "isWatched", f.kind,
      coalesce(f.namespace, l.namespace) as namespace, coalesce(s.tenant, '') as tenant,
      coalesce(f.workflow_id, l.workflow_id) as "workflowId", coalesce(f.run_id, l.run_id) as "runId", coalesce(f.epoch, l.epoch) as epoch,
      f.schedule_version as version,
      coalesce(s.version, f.schedule_version) as "currentVersion",
      l.failed_step as "failedStep", case when l.kind = 'parked' then l.failed_step end as parked
    from taken l left join ${store.table('firings')} f using (schedule_id, scheduled_time)
      -- Schedules are looked up one by one. After a burst of letters, a join would read all schedules for a page.
      left join lateral (select tenant, version from ${store.table('schedules')} where schedule_id = l.schedule_id offset 0) s on true
    order by l.created_at, l.letter_id`,
  );
  return rows.map((row) => ({
    ...row,
    failedStep: legibleStep(row.failedStep),
    parked: legibleStep(row.parked),
  }));
}

/**
 * Record, before the call, which run is about to receive the decision, and which parking of the step the decision is
 * for. The announced step no longer counts as parked, so its firing blocks the schedule.
 *
 * @returns `busy` if a paced redrive must wait because the schedule has its maximum of open firings. `gone` if the
 * redrive is no longer pending, or the step was parked again, also in another run
 */
export async function announceDecision(
  store: Store,
  redrive: PendingRedrive,
  told: NonNullable<RedriveRequest['told']>,
): Promise<'announced' | 'busy' | 'gone'> {
  // After a reset, another parking of the step may have the same number.
  const isIt = sql`(failed_step ->> 'burial')::int = ${told.burial}
    and failed_step ->> 'runId' is not distinct from ${redrive.parked?.runId ?? null}`;
  const isAnnounced = ({ rows }: { rows: unknown[] }) => (rows.length > 0 ? ('announced' as const) : ('gone' as const));
  if (!redrive.request.inTurn)
    return isAnnounced(await run(store, writtenDown(store, redrive, { told }, { where: isIt })));
  return transact(store, async (transaction) => {
    await lockTimers(transaction, [redrive]);
    if (!(await hasRoom(transaction, redrive))) return 'busy';
    return isAnnounced(await writtenDown(transaction, redrive, { told }, { where: isIt }).execute(transaction.db));
  });
}

/** The namespaces of letters whose redrives are still to be carried out. */
export async function readRedrivenNamespaces(store: Store): Promise<string[]> {
  const { rows } = await sql<{ namespace: string }>`select distinct l.namespace from ${store.table('dead_letters')} l
    where l.state = 'redriving' and l.redrive ? 'lookAt'`.execute(store.db);
  return rows.map(({ namespace }) => namespace);
}

/**
 * Make a redrive due again at `lookAt`. Returns false if the redrive is no longer pending.
 *
 * @param isTried whether the redrive counts in its pace, since something was attempted
 */
export async function postponeRedrive(
  store: Store,
  redrive: PendingRedrive,
  lookAt: Date,
  { isTried = true }: { isTried?: boolean } = {},
): Promise<boolean> {
  const kept = isTried ? sql`redrive` : sql`(redrive - 'takenAt')`;
  const { rows } = await run(store, writtenDown(store, redrive, { lookAt: lookAt.toISOString() }, { kept }));
  return rows.length > 0;
}

/** Add fields to the stored request of a redrive, if the redrive is still pending. */
function writtenDown(
  store: Store,
  redrive: PendingRedrive,
  what: object,
  { where = sql`true`, kept = sql`redrive` }: { where?: RawBuilder<unknown>; kept?: RawBuilder<unknown> } = {},
): RawBuilder<unknown> {
  return sql`update ${store.table('dead_letters')} set redrive = ${kept} || ${JSON.stringify(what)}::jsonb
    where ${isPending(redrive)} and ${where} returning 1 as one`;
}

/**
 * Selects the letter of a redrive, unless the redrive was carried out, given up or taken by another trigger in the
 * meantime.
 */
export function isPending({ letterId, request }: PendingRedrive) {
  return sql`letter_id = ${letterId} and state = 'redriving' and redrive ->> 'requestId' = ${request.requestId}
    and redrive ->> 'lookAt' = ${request.lookAt ?? null}`;
}
