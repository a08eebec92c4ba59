import { sql } from 'kysely';
import type { Store } from '../connection';

/** A request that came with a key. */
export interface KeyedRequest {
  /** Hash of what was asked for. */
  fingerprint: string;
  /** Null while it is under way. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}

/** Whose key it is. */
export interface RequestKey {
  caller: string;
  key: string;
}

/** Take a key for a request. @returns what took it before; undefined where nothing did */
export async function takeKey(
  store: Store,
  { caller, key }: RequestKey,
  fingerprint: string,
): Promise<KeyedRequest | undefined> {
  const table = store.table('api_requests');
  const { rows: taken } = await sql<{ key: string }>`
    insert into ${table} (caller, key, fingerprint, created_at) values (${caller}, ${key}, ${fingerprint}, clock_timestamp())
    on conflict (caller, key) do nothing returning key`.execute(store.db);
  if (taken.length > 0) return undefined;
  const { rows } = await sql<KeyedRequest>`select fingerprint, status, headers, body from ${table}
    where caller = ${caller} and key = ${key}`.execute(store.db);
  // Swept or given back in between: to be asked again.
  return rows[0] ?? { fingerprint, status: null, headers: null, body: null };
}

/** Keep what was answered. */
export async function keepAnswer(
  store: Store,
  { caller, key }: RequestKey,
  answer: { status: number; headers: Record<string, string>; body: string },
): Promise<void> {
  await sql`update ${store.table('api_requests')}
    set status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::jsonb, body = ${answer.body}
    where caller = ${caller} and key = ${key} and status is null`.execute(store.db);
}

/** Give a key back that did nothing: the request may be sent again. */
export async function giveKeyBack(store: Store, { caller, key }: RequestKey): Promise<void> {
  await sql`delete from ${store.table('api_requests')} where caller = ${caller} and key = ${key} and status is null`.execute(
    store.db,
  );
}
