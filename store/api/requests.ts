import { sql } from 'kysely';
import type { Store } from '../connection';

export interface KeyedRequest {
  /** A hash of the request's content. */
  fingerprint: string;
  /** The status of the stored answer; null if there is none yet. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}

export interface RequestKey {
  caller: string;
  key: string;
}

/**
 * A reserved key. A later request may take the key over; then the earlier request can no longer store or release
 * anything.
 */
export interface KeyClaim extends RequestKey {
  claimedAt: Date;
}

/** A request that has had no answer for this long counts as given up. */
const HANDLED_AT_MOST_MINUTES = 10;
/** A repeated request to the HTTP API with the same idempotency key gets the stored answer for this long. */
export const REQUESTS_KEPT_MILLISECONDS = 86_400_000;

/**
 * Reserve an idempotency key for a request. The key of an earlier request is taken over after a day; if the requests
 * have the same content and the earlier one has no answer, after ten minutes. Returns the claim of the key, or the
 * earlier request that has the key.
 */
export async function takeKey(
  store: Store,
  { caller, key }: RequestKey,
  fingerprint: string,
): Promise<{ claim: KeyClaim; former?: undefined } | { former: KeyedRequest }> {
  const table = store.table('api_requests');
  const { rows: taken } = await sql<{ claimedAt: Date }>`
    insert into ${table} as former (caller, key, fingerprint, created_at) values (${caller}, ${key}, ${fingerprint}, clock_timestamp())
    on conflict (caller, key) do update
      set created_at = excluded.created_at, fingerprint = excluded.fingerprint, status = null, headers = null, body = null
      where former.created_at < excluded.created_at - make_interval(secs => ${REQUESTS_KEPT_MILLISECONDS / 1_000})
        or former.status is null and former.fingerprint = excluded.fingerprint
          and former.created_at < excluded.created_at - make_interval(mins => ${HANDLED_AT_MOST_MINUTES})
    returning created_at as "claimedAt"`.execute(store.db);
  if (taken[0]) return { claim: { caller, key, ...taken[0] } };
  const { rows } = await sql<KeyedRequest>`select fingerprint, status, headers, body from ${table}
    where caller = ${caller} and key = ${key}`.execute(store.db);
  // Without a row, the key was deleted or released at this moment, so the caller has to send the request again.
  return { former: rows[0] ?? { fingerprint, status: null, headers: null, body: null } };
}

const isHeldBy = ({ caller, key, claimedAt }: KeyClaim) =>
  sql`caller = ${caller} and key = ${key} and created_at = ${claimedAt} and status is null`;

export async function keepAnswer(
  store: Store,
  claim: KeyClaim,
  answer: { status: number; headers: Record<string, string>; body: string },
): Promise<void> {
  await sql`update ${store.table('api_requests')}
    set status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::jsonb, body = ${answer.body}
    where ${isHeldBy(claim)}`.execute(store.db);
}

/** Release a key whose request was refused or failed, so that the request may be sent again. */
export async function giveKeyBack(store: Store, claim: KeyClaim): Promise<void> {
  await sql`delete from ${store.table('api_requests')} where ${isHeldBy(claim)}`.execute(store.db);
}
