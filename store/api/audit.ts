import { sql } from 'kysely';
import type { Store } from '../connection';

/** A change that was asked for over HTTP. */
export interface AuditEntry {
  /** Grows from one to the next; a text, since it may be a large number. */
  auditId: string;
  /** When it was asked for. */
  at: Date;
  /** Of the caller; null for one that sees all. */
  tenant: string | null;
  actor: string;
  /** Name of the token; null for a caller without one. */
  token: string | null;
  /** Where the request came from. */
  address: string;
  /** Such as `pauseSchedule`. */
  operation: string;
  /** Path and query of the request. */
  target: string;
  /** What was answered; null while it is under way, or where the server died in the middle. */
  status: number | null;
}

/**
 * That the commit of this one statement waits for no disk. A change that does is behind it in the log, and so is never kept without
 * it; three waits for one change would hold up who shares the disk.
 */
const UNAWAITED = sql`set_config('synchronous_commit', 'off', true) = 'off'`;

/** Written before the change, so that none is without. @returns its ID */
export async function beginAudit(store: Store, entry: Omit<AuditEntry, 'auditId' | 'at' | 'status'>): Promise<string> {
  const { tenant, actor, token, address, operation, target } = entry;
  const { rows } = await sql<{ auditId: string }>`
    insert into ${store.table('api_audit')} (at, tenant, actor, token, address, operation, target)
    select clock_timestamp(), ${tenant}, ${actor}, ${token}, ${address}, ${operation}, ${target} where ${UNAWAITED}
    returning audit_id::text as "auditId"`.execute(store.db);
  return rows[0]!.auditId;
}

/** Say what was answered. */
export async function endAudit(store: Store, auditId: string, status: number): Promise<void> {
  await sql`update ${store.table('api_audit')} set status = ${status}
    where audit_id = ${auditId}::bigint and ${UNAWAITED}`.execute(store.db);
}

/** A page, the newest first, before `before`. @param tenant undefined for all */
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
