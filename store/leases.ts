import { sql } from 'kysely';
import type { Store } from './connection';
import { run } from './transaction';

export type LeaseAttempt =
  | { token: number }
  /**
   * The lease was not acquired. `holder` is the last holder that the statement saw. All fields are null if another
   * process created the row of the lease at this moment.
   */
  | { token: null; holder: string | null; expiresAt: Date | null; millisecondsLeft: number | null };

/** The SQLSTATE that `guard_lease` raises if the lease is over. */
export const LEASE_OVER = 'ES002';

/**
 * Take a lease that is free or expired by the database's clock. The statement skips a locked row: if the transaction of
 * a frozen holder has locked the row, the lease stays taken until that transaction ends. The token grows with each
 * holder. The token is at least the clock's time in microseconds, so that it grows also after the row was deleted.
 */
export async function acquireLease(
  store: Store,
  lease: { resource: string; holder: string; ttlMilliseconds: number },
): Promise<LeaseAttempt> {
  const leases = store.table('leases');
  const clockToken = sql`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
  const expiresAt = sql`clock_timestamp() + ${milliseconds(lease.ttlMilliseconds)}`;
  const { rows } = await run(
    store,
    sql<LeaseAttempt>`
    with free as (
      select resource from ${leases} where resource = ${lease.resource} and expires_at <= clock_timestamp()
      for update skip locked),
    taken as (
      update ${leases} l set token = greatest(l.token + 1, ${clockToken}), holder = ${lease.holder},
        acquired_at = clock_timestamp(), expires_at = ${expiresAt}
      from free where l.resource = free.resource returning l.token),
    made as (
      insert into ${leases} (resource, token, holder, acquired_at, expires_at)
      select ${lease.resource}, ${clockToken}, ${lease.holder}, clock_timestamp(), ${expiresAt}
      where not exists (select from ${leases} where resource = ${lease.resource})
      on conflict do nothing returning token)
    select coalesce((select token from taken), (select token from made)) as token, l.holder,
      case when isfinite(l.expires_at) then l.expires_at end as "expiresAt",
      case when isfinite(l.expires_at) then extract(epoch from l.expires_at - clock_timestamp()) * 1000 end::float8 as "millisecondsLeft"
    from (select) one left join ${leases} l on l.resource = ${lease.resource}`,
  );
  return rows[0]!;
}

/** Returns false if the lease is over: it has expired, was released, or has another holder. */
export async function renewLease(
  store: Store,
  lease: { resource: string; token: number; ttlMilliseconds: number },
): Promise<boolean> {
  const { numAffectedRows } = await run(
    store,
    sql`update ${store.table('leases')} set expires_at = clock_timestamp() + ${milliseconds(lease.ttlMilliseconds)}
      where resource = ${lease.resource} and token = ${lease.token} and expires_at > clock_timestamp()`,
  );
  return numAffectedRows === 1n;
}

/** Returns false if the lease was already over. The row keeps the last fencing token until the row is deleted. */
export async function releaseLease(store: Store, lease: { resource: string; token: number }): Promise<boolean> {
  const { numAffectedRows } = await run(
    store,
    sql`update ${store.table('leases')} set expires_at = clock_timestamp()
      where resource = ${lease.resource} and token = ${lease.token} and expires_at > clock_timestamp()`,
  );
  return numAffectedRows === 1n;
}

/** SQLSTATE of the error with which Postgres ends a session because its transaction was idle for too long. */
export const IDLE_IN_TRANSACTION = '25P03';

/** The part of a `pg` client that runs statements in a user's transaction. */
export interface TransactionClient {
  /** Run one statement. */
  query(config: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
  /**
   * Listen for the error that ends the connection. @default without it, the reason why the connection ended stays
   * unknown
   */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Stop listening. */
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Fence a user's own transaction: from here on, the transaction either commits before another holder can acquire the
 * lease, or does not commit. Returns false if the client has no open transaction, so that nothing is fenced.
 */
export async function guardTransaction(
  client: TransactionClient,
  schema: string,
  lease: { resource: string; token: number; idleMilliseconds: number },
): Promise<boolean> {
  await client.query({
    // Some drivers cannot read a result of type `void`.
    text: `select "${schema}".guard_lease($1, $2, $3)::text`,
    values: [lease.resource, lease.token, lease.idleMilliseconds],
  });
  // The setting `escapement.guarded_by` lasts only as long as the transaction: if a second statement does not see it,
  // no transaction is open.
  const { rows } = await client.query({
    text: `select current_setting('escapement.guarded_by', true) = $1 as guarded`,
    values: [String(lease.token)],
  });
  return (rows[0] as { guarded: boolean | null }).guarded === true;
}

function milliseconds(count: number) {
  return sql`${count}::float8 * interval '1 millisecond'`;
}
