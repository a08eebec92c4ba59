import { type RawBuilder, sql } from 'kysely';
import { BULK_KINDS, type BulkKind, type BulkOperationState, type BulkWait } from '../../core/bulk';
import { holdLock } from '../advisory-lock';
import type { Store } from '../connection';
import { type BulkChoice, recordSchedules } from './choice';

/** A bulk change of schedules. */
export interface BulkOperation {
  /** The operation's key, a UUID. */
  operationId: string;
  /** What the operation does to each schedule. An undo has the kind of the operation that is undone. */
  kind: BulkKind;
  /** The operation that this one undoes; null for none. */
  undoes: string | null;
  /** The operation that undoes this one and was not cancelled; null for none. */
  undoneBy: string | null;
  /** The tenant whose schedules are changed; null for all tenants. */
  tenant: string | null;
  /** Who requested the operation. */
  actor: string;
  /** The API token with which the operation was requested; null for none. */
  token: string | null;
  /** The filter for schedules, as it was requested. */
  filter: Record<string, unknown>;
  /** The change, as it was requested. */
  change: Record<string, unknown>;
  /** The maximum number of schedules changed per second; null for no limit. */
  perSecond: number | null;
  /** How many schedules were chosen at the time of the request. The operation changes no others. */
  total: number;
  /** When the operation was requested and its schedules were recorded. */
  createdAt: Date;
  /** Who cancelled the operation; null if nobody did. */
  cancelledBy: string | null;
  /** When the operation ended; null while it runs. */
  endedAt: Date | null;
}

export type BulkTask = Pick<
  BulkOperation,
  'operationId' | 'kind' | 'undoes' | 'tenant' | 'actor' | 'change' | 'createdAt'
>;

/** The progress of an operation. */
export interface BulkCounts {
  /**
   * What the operation waits for: `process` while no process carries it out, `turn` while ten or more others of its
   * tenant are carried out. Null while it is carried out, and once it has ended.
   */
  waitsFor: BulkWait | null;
  /** Schedules that were changed. */
  changed: number;
  /**
   * Schedules that needed no change. In an undo, `unchanged` includes schedules whose definition or state (for a tag:
   * labels) somebody has changed since.
   */
  unchanged: number;
  /** Schedules whose change failed. */
  failed: number;
}

/** A server takes further operations of a tenant only while it carries out fewer than this. */
const OF_A_TENANT_AT_ONCE = 10;

/**
 * Whether a server holds this lease. A lease ends more than ten minutes ahead only if the clock of Postgres was set
 * back since.
 */
const isLeased = (leasedUntil: RawBuilder<unknown>) =>
  sql`${leasedUntil} between clock_timestamp() and clock_timestamp() + interval '10 minutes'`;

const COLUMNS = sql<BulkOperation>`o.operation_id as "operationId", o.kind, o.undoes, o.tenant, o.actor, o.token, o.filter, o.change,
  o.per_second as "perSecond", o.total, o.created_at as "createdAt", o.cancelled_by as "cancelledBy", o.ended_at as "endedAt"`;

const undoneBy = (store: Store) => sql`(select u.operation_id from ${store.table('bulk_operations')} u
  where u.undoes = o.operation_id and u.cancelled_by is null) as "undoneBy"`;

const waitsFor = (store: Store) => sql`case when o.ended_at is not null or ${isLeased(sql`o.leased_until`)} then null
  when (select count(*) from ${store.table('bulk_operations')} r where r.ended_at is null and ${isLeased(sql`r.leased_until`)}
    and r.tenant is not distinct from o.tenant) >= ${OF_A_TENANT_AT_ONCE} then 'turn' else 'process' end as "waitsFor"`;

export interface NewBulkOperation
  extends Omit<BulkOperation, 'total' | 'createdAt' | 'cancelledBy' | 'endedAt' | 'undoneBy'> {
  /** When the operation is requested; undefined for the database's clock, which is the same for all clients. */
  createdAt: Date | undefined;
}

/**
 * ∅ → running, for the schedules that match now or, for an undo, those that the other operation has changed. Running
 * operations take effect in the order of `created_at`, so a new operation gets a later `created_at` than all running
 * ones. Other transactions see an operation only once it is committed, so its `created_at` is set last. Until the
 * commit, other new operations wait, so the transaction should have little left to do. Returns undefined if another
 * operation, which was not cancelled, already undoes the same operation.
 */
export async function insertOperation(
  transaction: Store,
  operation: NewBulkOperation,
  choice: BulkChoice | { undoes: string },
): Promise<BulkOperation | undefined> {
  const { operationId, kind, undoes, tenant, actor, token, filter, change, perSecond, createdAt } = operation;
  const { rows: made } = await sql<{ made: boolean }>`
    insert into ${transaction.table('bulk_operations')} (operation_id, kind, undoes, tenant, actor, token, filter, change, per_second, total, created_at)
    values (${operationId}, ${kind}, ${undoes}, ${tenant}, ${actor}, ${token}, ${JSON.stringify(filter)}::jsonb, ${JSON.stringify(change)}::jsonb,
      ${perSecond}, 0, clock_timestamp())
    on conflict (undoes) where undoes is not null and cancelled_by is null do nothing returning true as made`.execute(
    transaction.db,
  );
  if (made.length === 0) return undefined;
  const total = await recordSchedules(transaction, operationId, choice);
  await holdLock(transaction, 'bulk operations');
  const { rows } = await sql<BulkOperation>`update ${transaction.table('bulk_operations')} o set total = ${total},
      created_at = greatest(coalesce(${createdAt ?? null}::timestamptz, clock_timestamp()), (
        select max(r.created_at) + interval '1 millisecond' from ${transaction.table('bulk_operations')} r
        where r.ended_at is null and r.operation_id <> o.operation_id))
    where o.operation_id = ${operationId} returning ${COLUMNS}, null::uuid as "undoneBy"`.execute(transaction.db);
  return rows[0]!;
}

/** @param tenant the only tenant that may see the operation; undefined for any */
export async function readOperation(
  store: Store,
  operationId: string,
  tenant: string | undefined,
): Promise<(BulkOperation & BulkCounts) | undefined> {
  const { rows } = await sql<BulkOperation & BulkCounts>`select ${COLUMNS}, ${undoneBy(store)}, ${waitsFor(store)}, c.*
    from ${store.table('bulk_operations')} o cross join lateral (${counts(store)}) c
    where o.operation_id = ${operationId} and ${ofTenant(tenant)}`.execute(store.db);
  return rows[0];
}

const IS_IN: Record<BulkOperationState, RawBuilder<unknown>> = {
  running: sql`o.ended_at is null`,
  done: sql`o.ended_at is not null and o.cancelled_by is null`,
  cancelled: sql`o.cancelled_by is not null`,
};

export async function readOperations(
  store: Store,
  { tenant, states, limit }: { tenant: string | undefined; states: readonly BulkOperationState[]; limit: number },
): Promise<(BulkOperation & BulkCounts)[]> {
  const inState = sql`(${sql.join(
    states.map((state) => IS_IN[state]),
    sql` or `,
  )})`;
  const { rows } = await sql<BulkOperation & BulkCounts>`select ${COLUMNS}, ${undoneBy(store)}, ${waitsFor(store)}, c.*
    from (select * from ${store.table('bulk_operations')} o where ${ofTenant(tenant)} and ${inState}
      order by o.created_at desc, o.operation_id limit ${limit}) o cross join lateral (${counts(store)}) c
    order by o.created_at desc, o.operation_id`.execute(store.db);
  return rows;
}

function counts(store: Store) {
  const of = (outcome: string) => sql`(count(*) filter (where x.outcome = ${outcome}))::int`;
  return sql`select ${of('changed')} as changed, ${of('unchanged')} as unchanged, ${of('failed')} as failed
    from ${store.table('bulk_schedules')} x where x.operation_id = o.operation_id`;
}

function ofTenant(tenant: string | undefined) {
  return tenant === undefined ? sql`true` : sql`o.tenant = ${tenant}`;
}

/** After a server has died, no other server continues its operation for up to this long. */
const LEASE = sql`clock_timestamp() + interval '30 seconds'`;

/**
 * Whether this version can carry out an operation `w`. Any other operation waits for a newer program, and delays no
 * other operation.
 */
const IS_KNOWN = sql`(w.kind = any(${[...BULK_KINDS]}::text[]) and jsonb_typeof(w.change) = 'object')`;

/**
 * Take the oldest running operation whose lease no server holds. One server takes only some operations of each tenant
 * at once, so that the operations of other tenants need not wait for these to end.
 *
 * @param only the ID of the only operation to take, however many operations of its tenant are carried out
 */
export async function takeOperation(store: Store, server: string, only?: string): Promise<BulkOperation | undefined> {
  const table = store.table('bulk_operations');
  const which =
    only === undefined
      ? sql`(select count(*) from ${table} r where r.ended_at is null and r.leased_by = ${server} and ${isLeased(sql`r.leased_until`)}
          and r.tenant is not distinct from w.tenant) < ${OF_A_TENANT_AT_ONCE}`
      : sql`w.operation_id = ${only}`;
  const { rows } = await sql<BulkOperation>`update ${table} o set leased_by = ${server}, leased_until = ${LEASE}
    where o.operation_id = (select w.operation_id from ${table} w where w.ended_at is null and ${which} and ${IS_KNOWN}
      and (w.leased_until is null or not ${isLeased(sql`w.leased_until`)})
      order by w.created_at limit 1 for no key update skip locked)
    returning ${COLUMNS}, null::uuid as "undoneBy"`.execute(store.db);
  return rows[0];
}

/**
 * The kinds of operations that overwrite each other's changes. The kind `trigger` only adds firings, whatever came
 * before.
 */
const OVERWRITING: Record<BulkKind, BulkKind[]> = {
  pause: ['pause', 'unpause'],
  unpause: ['pause', 'unpause'],
  tag: ['tag'],
  trigger: [],
};

/**
 * The running operations that were requested before this one and whose changes this one may overwrite, in their order.
 * No operation can be added to them later, since a later request comes after this one. Operations of other tenants are
 * left out, since they change other schedules.
 */
export async function readEarlier(
  store: Store,
  { operationId, kind, tenant, createdAt }: Pick<BulkOperation, 'operationId' | 'kind' | 'tenant' | 'createdAt'>,
): Promise<BulkTask[]> {
  if (OVERWRITING[kind].length === 0) return [];
  const { rows } =
    await sql<BulkTask>`select o.operation_id as "operationId", o.kind, o.undoes, o.tenant, o.actor, o.change, o.created_at as "createdAt"
    from ${store.table('bulk_operations')} o where o.ended_at is null and o.kind = any(${OVERWRITING[kind]}::text[]) and jsonb_typeof(o.change) = 'object'
      and (o.tenant is null or o.tenant = coalesce(${tenant}, o.tenant))
      and (o.created_at, o.operation_id) < (${createdAt}, ${operationId}) order by o.created_at, o.operation_id`.execute(
      store.db,
    );
  return rows;
}

/** @returns whether this server still has the operation and should continue it */
export async function renewLease(store: Store, operationId: string, server: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`update ${store.table('bulk_operations')} set leased_until = ${LEASE}
    where operation_id = ${operationId} and leased_by = ${server} and ended_at is null`.execute(store.db);
  return numAffectedRows > 0n;
}

export async function releaseLease(store: Store, operationId: string, server: string): Promise<void> {
  await sql`update ${store.table('bulk_operations')} set leased_until = null
    where operation_id = ${operationId} and leased_by = ${server}`.execute(store.db);
}

/** Running → ended, if no schedule of the operation is left to change. */
export async function endOperation(store: Store, operationId: string, now: Date): Promise<void> {
  await sql`update ${store.table('bulk_operations')} o set ended_at = ${now}
    where o.operation_id = ${operationId} and o.ended_at is null and not exists (
      select from ${store.table('bulk_schedules')} x where x.operation_id = o.operation_id and x.outcome is null)`.execute(
    store.db,
  );
}

/**
 * Running → cancelled: the remaining schedules are not changed. This call waits for changes in progress, so that an
 * undo finds all changes. @returns whether the operation was running
 */
export async function cancelOperation(
  store: Store,
  operationId: string,
  { actor, now }: { actor: string; now: Date },
): Promise<boolean> {
  const table = store.table('bulk_operations');
  const { numAffectedRows = 0n } = await sql`update ${table} set ended_at = ${now}, cancelled_by = ${actor}
    where operation_id = (select operation_id from ${table} where operation_id = ${operationId} and ended_at is null for update)`.execute(
    store.db,
  );
  return numAffectedRows > 0n;
}
