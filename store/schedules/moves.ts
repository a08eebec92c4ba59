import { sql } from 'kysely';
import type { ScheduleSpec } from '../../core/schedule/spec';
import type { Store } from '../connection';
import { formatOf, SHADOW_FORMAT, SPEC_FORMAT } from '../spec-format';
import type { MoveState } from '../table-values';
import { unlessNewer } from './kept-form';

/** A schedule that moves from a Temporal schedule into the ledger, or was moved. */
export interface MoveRow {
  scheduleId: string;
  tenant: string;
  namespace: string;
  state: MoveState;
  /** A fingerprint of the Temporal schedule's definition and labels when it was imported. */
  fingerprint: string;
  /** The version of the schedule in the ledger that the import wrote. */
  version: number;
  /** Whether the schedule's definition was changed in the ledger since its import. */
  isChanged: boolean;
  /** Whether the side that ends was paused before the move: then the move does not unpause the schedule. */
  staysPaused: boolean;
  /** The note that the schedule gets after the move. */
  note: string | null;
  /** The instant at which the move was requested to happen. */
  at: Date | null;
  /** The state in which the side that ends (Temporal's or the ledger's) stops, and the progress of a roll back. */
  evidence: unknown;
  takeBuffer: boolean;
  /** Nominal times that waited in the Temporal schedule's buffer and have not been taken over. */
  buffer: Date[] | null;
  shadow: boolean;
  /** Whether the schedule is in a form that only a newer program knows: triggers of this version do not take it. */
  isNewer: boolean;
  /** Whether the schedule is paused in the ledger. */
  paused: boolean;
  /** When that pause ends by itself; null if it does not. */
  pausedUntil: Date | null;
  /** Whether firings of the schedule wait for their turn in the ledger. */
  waits: boolean;
  deleted: boolean;
}

/** A schedule that was deleted and created again has no move until it is imported again. */
export async function readMoves(
  store: Store,
  { scheduleIds, tenant }: { scheduleIds?: string[] | undefined; tenant?: string | undefined },
): Promise<MoveRow[]> {
  const ofSome = scheduleIds ? sql`m.schedule_id = any(${scheduleIds}::text[])` : sql`true`;
  const ofOne = tenant === undefined ? sql`true` : sql`s.tenant = ${tenant}`;
  const { rows } = await sql<MoveRow>`
    select m.schedule_id as "scheduleId", s.tenant, m.namespace, m.state, m.fingerprint, m.version, s.version <> m.version as "isChanged",
      m.stays_paused as "staysPaused", m.note, m.at, m.evidence, m.take_buffer as "takeBuffer", m.buffer,
      t.spec_format = ${SHADOW_FORMAT}::int as shadow, t.spec_format > ${SPEC_FORMAT}::int as "isNewer", s.paused, s.paused_until as "pausedUntil", s.deleted_at is not null as deleted,
      exists (select from ${store.table('firings')} f where f.schedule_id = m.schedule_id and f.state = 'buffered') as waits
    from ${store.table('moves')} m
    join ${store.table('schedules')} s using (schedule_id)
    join ${store.table('timers')} t using (schedule_id)
    where ${ofSome} and ${ofOne} and m.imported_at >= s.created_at order by m.schedule_id`.execute(store.db);
  return rows;
}

export interface ImportedMove {
  scheduleId: string;
  namespace: string;
  fingerprint: string;
  /** The version of the schedule that has the imported definition. @default the latest */
  version?: number | undefined;
  staysPaused: boolean;
  note: string | null;
  actor: string;
  /** @default the database's clock */
  now: Date | undefined;
}

/**
 * Write the moves of imported schedules, in the transaction that writes the schedules. Former moves of these schedules
 * are replaced.
 */
export async function writeImported(transaction: Store, moves: ImportedMove[]): Promise<void> {
  const { actor, now } = moves[0] ?? {};
  const rows = moves.map(({ scheduleId, namespace, fingerprint, version, staysPaused, note }) => ({
    ...{ schedule_id: scheduleId, stays_paused: staysPaused, namespace, fingerprint, version, note },
  }));
  await sql`
    insert into ${transaction.table('moves')} as m (schedule_id, namespace, state, fingerprint, version, stays_paused, note, actor,
      imported_at, updated_at)
    select s.schedule_id, x.namespace, 'imported', x.fingerprint, coalesce(x.version, s.version), x.stays_paused, x.note, ${actor}::text, greatest(at.now, s.created_at), at.now
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (schedule_id text, namespace text, fingerprint text, version int, stays_paused bool, note text)
    join ${transaction.table('schedules')} s using (schedule_id),
      (select coalesce(${now ?? null}::timestamptz, clock_timestamp()) as now) at
    order by s.schedule_id
    on conflict (schedule_id) do update set namespace = excluded.namespace, state = 'imported', fingerprint = excluded.fingerprint,
      version = excluded.version, stays_paused = excluded.stays_paused, note = excluded.note, actor = excluded.actor,
      at = null, evidence = null, take_buffer = false, buffer = null, imported_at = excluded.imported_at, updated_at = excluded.updated_at`.execute(
    transaction.db,
  );
}

/**
 * Replace the fingerprint of an imported schedule by another one of the same definition. While another transaction
 * holds the move, its fingerprint stays.
 */
export async function replaceFingerprint(
  store: Store,
  { scheduleId, fingerprint: former }: Pick<MoveRow, 'scheduleId' | 'fingerprint'>,
  fingerprint: string,
): Promise<void> {
  if (fingerprint === former) return;
  const moves = store.table('moves');
  await sql`update ${moves} set fingerprint = ${fingerprint} where schedule_id in (select schedule_id from ${moves}
    where schedule_id = ${scheduleId} and fingerprint = ${former} for no key update skip locked)`.execute(store.db);
}

/** Begin or end shadow mode; the caller holds the schedule's lock or creates the schedule in the same transaction. */
export async function setShadow(
  transaction: Store,
  scheduleId: string,
  { shadow, spec }: { shadow: boolean; spec: ScheduleSpec },
): Promise<void> {
  // An import refuses shadow mode for a schedule in a newer form, since the end of shadow mode would not restore that
  // form.
  const form = shadow ? sql`${SHADOW_FORMAT}::smallint` : unlessNewer(sql`${formatOf({ spec })}::smallint`);
  await sql`update ${transaction.table('timers')} t set spec_format = ${form}, seq = seq + 1
    where schedule_id = ${scheduleId}`.execute(transaction.db);
}

/** Begin shadow mode for schedules that this transaction creates. */
export async function intoShadow(transaction: Store, scheduleIds: string[]): Promise<void> {
  await sql`update ${transaction.table('timers')} set spec_format = ${SHADOW_FORMAT}::smallint, seq = seq + 1
    where schedule_id = any(${scheduleIds}::text[])`.execute(transaction.db);
}

export interface MoveBegin {
  scheduleId: string;
  state: 'cutting_over' | 'rolling_back';
  at: Date | undefined;
  takeBuffer: boolean;
  actor: string;
}

/**
 * imported → cutting_over, or cut_over → rolling_back, under the schedule's lock. Until a move has evidence, a new
 * request replaces the former one. An earlier call that still waits keeps its own instant.
 */
export async function beginMove(
  transaction: Store,
  { scheduleId, state, at, takeBuffer, actor }: MoveBegin,
): Promise<void> {
  const from = state === 'cutting_over' ? 'imported' : 'cut_over';
  await sql`update ${transaction.table('moves')} set state = ${state}, at = ${at ?? null}, take_buffer = ${takeBuffer}, evidence = null,
      actor = ${actor}, updated_at = clock_timestamp()
    where schedule_id = ${scheduleId}
      and (state = ${from} or (state = ${state} and evidence is null))`.execute(transaction.db);
}

export interface MoveEvidence {
  state: 'cutting_over' | 'rolling_back';
  evidence: object;
  staysPaused: boolean;
  note: string | null;
}

/**
 * Record the evidence, for a cut-over before the Temporal schedule is paused. A program that continues an interrupted
 * move reads the evidence. Returns false if the move is no longer in the given state.
 */
export async function noteEvidence(
  store: Store,
  scheduleId: string,
  { state, evidence, staysPaused, note }: MoveEvidence,
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update ${store.table('moves')} set evidence = ${JSON.stringify(evidence)}::jsonb, stays_paused = ${staysPaused}, note = ${note},
      updated_at = clock_timestamp()
    where schedule_id = ${scheduleId} and state = ${state}`.execute(store.db);
  return numAffectedRows === 1n;
}

export interface MoveEnd {
  from: MoveState;
  state: 'cut_over' | 'imported';
  /** @default null */
  buffer?: Date[] | null;
  /** Only the move of the import with this fingerprint. @default the move of any import */
  fingerprint?: string;
}

/** Returns false if the move is no longer in the state `from`, or is that of another import. */
export async function endMove(
  store: Store,
  scheduleId: string,
  { from, state, buffer = null, fingerprint }: MoveEnd,
): Promise<boolean> {
  const { numAffectedRows } =
    await sql`update ${store.table('moves')} set state = ${state}, evidence = null, at = null, buffer = ${buffer}::timestamptz[],
      updated_at = clock_timestamp()
    where schedule_id = ${scheduleId} and state = ${from}
      and fingerprint = coalesce(${fingerprint ?? null}::text, fingerprint)`.execute(store.db);
  return numAffectedRows === 1n;
}

export async function readImportedAt(store: Store, scheduleId: string): Promise<Date> {
  const { rows } = await sql<{ importedAt: Date }>`select imported_at as "importedAt" from ${store.table('moves')}
    where schedule_id = ${scheduleId}`.execute(store.db);
  return rows[0]!.importedAt;
}
