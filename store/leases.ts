import { sql } from 'kysely';
import type { Store } from './connection';
import { run } from './transaction';

/** What became of an attempt to take a lease. */
export type LeaseAttempt =
  | { token: number }
  /** Free, but a transaction holds its row, or another process took it at this moment: `holder` is then unknown. */
  | { token: null; holder: string | null; expiresAt: Date | null; millisecondsLeft: number | null };

/** SQLSTATE of `guard_lease` when the lease is over. */
export const LEASE_OVER = 'ES002';

/**
 * Take a lease that is free or expired by the database's clock. Never waits: a row that the transaction of a frozen holder
 * has locked is left until that has ended. The token grows with each holder, and by the clock even after the row was deleted.
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

/** Push a lease's end away; false when it is over: taken by another, or expired, from which no lease comes back. */
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

/** Give a lease back; false when it was over already. The row stays, and with it the token. */
export async function releaseLease(store: Store, lease: { resource: string; token: number }): Promise<boolean> {
  const { numAffectedRows } = await run(
    store,
    sql`update ${store.table('leases')} set expires_at = clock_timestamp()
      where resource = ${lease.resource} and token = ${lease.token} and expires_at > clock_timestamp()`,
  );
  return numAffectedRows === 1n;
}

/** SQLSTATE of a session that Postgres ends because its transaction was idle for too long. */
export const IDLE_IN_TRANSACTION = '25P03';

/** The part of a client of `pg` that runs a statement in a transaction of the user's. */
export interface TransactionClient {
  /** Run one statement. */
  query(config: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
  /** Hear of what ends the connection. @default nobody says why it ended */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Hear no more of it. */
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Fence a user's own transaction: from here it commits before another can take the lease, or not at all.
 *
 * @returns false when the client has no transaction open, so that nothing is fenced
 */
export async function guardTransaction(
  client: TransactionClient,
  schema: string,
  lease: { resource: string; token: number; idleMilliseconds: number },
): Promise<boolean> {
  await client.query({
    text: `select "${schema}".guard_lease($1, $2, $3)`,
    values: [lease.resource, lease.token, lease.idleMilliseconds],
  });
  // Set for the transaction alone: a second statement sees it only inside of one.
  const { rows } = await client.query({
    text: `select current_setting('escapement.guarded_by', true) = $1 as guarded`,
    values: [String(lease.token)],
  });
  return (rows[0] as { guarded: boolean | null }).guarded === true;
}

function milliseconds(count: number) {
  return sql`${count}::float8 * interval '1 millisecond'`;
}
