import { sql } from 'kysely';
import type { Store } from '../connection';

export interface AuditEntry {
  /** The entry's ID, which grows from entry to entry; a string, since it may exceed the safe integers. */
  auditId: string;
  at: Date;
  /** The caller's tenant; null for a caller that sees all. */
  tenant: string | null;
  actor: string;
  /** The name of the API token; null for a caller without a token. */
  token: string | null;
  address: string;
  /** The API operation, such as `pauseSchedule`. */
  operation: string;
  /** The path and query of the request. */
  target: string;
  /** The HTTP status of the answer; null while the request runs, or if the status was never written. */
  status: number | null;
}

/**
 * Lets this statement commit without a wait for the disk. The commit of the change itself waits for the disk, and comes
 * later in the write-ahead log, so no change is kept without its audit entry.
 */
const UNAWAITED = sql`set_config('synchronous_commit', 'off', true) = 'off'`;

/** The entry is written before the change is made, so that no change lacks its entry. */
export async function beginAudit(store: Store, entry: Omit<AuditEntry, 'auditId' | 'at' | 'status'>): Promise<string> {
  const { tenant, actor, token, address, operation, target } = entry;
  const { rows } = await sql<{ auditId: string }>`
    insert into ${store.table('api_audit')} (at, tenant, actor, token, address, operation, target)
    select clock_timestamp(), ${tenant}, ${actor}, ${token}, ${address}, ${operation}, ${target} where ${UNAWAITED}
    returning audit_id::text as "auditId"`.execute(store.db);
  return rows[0]!.auditId;
}

export async function endAudit(store: Store, auditId: string, status: number): Promise<void> {
  await sql`update ${store.table('api_audit')} set status = ${status}
    where audit_id = ${auditId}::bigint and ${UNAWAITED}`.execute(store.db);
}

/** The newest entries before the entry `before`; with `tenant`, only that tenant's. */
export async function readAudit(
  store: Store,
  { tenant, before, size }: { tenant: string | undefined; before: string | undefined; size: number },
): Promise<AuditEntry[]> {
  const { rows } = await sql<AuditEntry>`
    select audit_id::text as "auditId", at, tenant, actor, token, address, operation, target, status
    from ${store.table('api_audit')}
    where ${tenant === undefined ? sql`true` : sql`tenant = ${tenant}`}
      and ${before === undefined ? sql`true` : sql`audit_id < ${before}::bigint`}
    order by audit_id desc limit ${size}`.execute(store.db);
  return rows;
}
