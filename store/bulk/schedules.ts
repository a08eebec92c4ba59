import { sql } from 'kysely';
import type { BulkOutcome, BulkState } from '../../core/bulk';
import type { Store } from '../connection';

export interface BulkSchedule {
  scheduleId: string;
  /** The result; null until there is one. */
  outcome: BulkOutcome | null;
  error: string | null;
  before: BulkState | null;
  after: BulkState | null;
}

const COLUMNS = sql<BulkSchedule>`x.schedule_id as "scheduleId", x.outcome, x.error, x.before, x.after`;

/** The IDs of an operation's schedules that have no result yet, in their order. */
export async function readWaiting(store: Store, operationId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ scheduleId: string }>`select x.schedule_id as "scheduleId"
    from ${store.table('bulk_schedules')} x where x.operation_id = ${operationId} and x.outcome is null
    order by x.schedule_id limit ${limit}`.execute(store.db);
  return rows.map((row) => row.scheduleId);
}

/** The pairs of these operations and schedules that have no result yet. */
export async function readQueued(
  store: Store,
  operationIds: string[],
  scheduleIds: string[],
): Promise<{ operationId: string; scheduleId: string }[]> {
  const { rows } = await sql<{ operationId: string; scheduleId: string }>`
    select x.operation_id as "operationId", x.schedule_id as "scheduleId" from ${store.table('bulk_schedules')} x
    where x.operation_id = any(${operationIds}::uuid[]) and x.schedule_id = any(${scheduleIds}::text[]) and x.outcome is null`.execute(
    store.db,
  );
  return rows;
}

export async function readOfOperation(
  store: Store,
  operationId: string,
  { outcome, after, limit }: { outcome: BulkOutcome | undefined; after: string | undefined; limit: number },
): Promise<BulkSchedule[]> {
  const { rows } = await sql<BulkSchedule>`select ${COLUMNS} from ${store.table('bulk_schedules')} x
    where x.operation_id = ${operationId} and ${outcome === undefined ? sql`true` : sql`x.outcome = ${outcome}`}
      and ${after === undefined ? sql`true` : sql`x.schedule_id > ${after}`}
    order by x.schedule_id limit ${limit}`.execute(store.db);
  return rows;
}

export async function readOne(
  store: Store,
  operationId: string,
  scheduleId: string,
): Promise<BulkSchedule | undefined> {
  const { rows } = await sql<BulkSchedule>`select ${COLUMNS} from ${store.table('bulk_schedules')} x
    where x.operation_id = ${operationId} and x.schedule_id = ${scheduleId}`.execute(store.db);
  return rows[0];
}

/**
 * Waiting → done, in the same transaction as any change of the schedule. Until that transaction ends, the operation
 * cannot be cancelled. Returns false if another server changed the schedule, or somebody cancelled the operation: the
 * caller must then change nothing.
 */
export async function settle(
  transaction: Store,
  operationId: string,
  { scheduleId, outcome, error, before, after }: BulkSchedule,
): Promise<boolean> {
  const json = (state: BulkState | null) => (state === null ? null : JSON.stringify(state));
  const { numAffectedRows = 0n } = await sql`update ${transaction.table('bulk_schedules')} x
    set outcome = ${outcome}, error = ${error}, before = ${json(before)}::jsonb, after = ${json(after)}::jsonb
    where x.operation_id = ${operationId} and x.schedule_id = ${scheduleId} and x.outcome is null
      and exists (select from ${transaction.table('bulk_operations')} o
        where o.operation_id = x.operation_id and o.ended_at is null for key share)`.execute(transaction.db);
  return numAffectedRows > 0n;
}
