import { sql } from 'kysely';
import type { Store } from '../connection';

/** A token of the HTTP API, without its secret. */
export interface ApiToken {
  /** The token's name: two tokens that are not revoked never have the same name. */
  name: string;
  /** The only tenant that the token may read and change; null for all tenants. */
  tenant: string | null;
  scopes: string[];
  createdAt: Date;
  createdBy: string;
  /** When the token expires; null for never. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  revokedBy: string | null;
}

const COLUMNS = sql<ApiToken>`name, tenant, scopes, created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
  revoked_at as "revokedAt", revoked_by as "revokedBy"`;

export interface NewToken extends Pick<ApiToken, 'name' | 'tenant' | 'scopes' | 'createdBy' | 'expiresAt'> {
  tokenId: string;
  /** The SHA-256 of the token. */
  hash: Buffer;
}

/** Insert a token; returns undefined if a token that is not revoked already has the name. */
export async function insertToken(store: Store, token: NewToken): Promise<ApiToken | undefined> {
  const { tokenId, name, hash, tenant, scopes, createdBy, expiresAt } = token;
  const { rows } = await sql<ApiToken>`
    insert into ${store.table('api_tokens')} (token_id, name, hash, tenant, scopes, created_at, created_by, expires_at)
    values (${tokenId}, ${name}, ${hash}, ${tenant}, ${scopes}::text[], clock_timestamp(), ${createdBy}, ${expiresAt})
    on conflict (name) where revoked_at is null do nothing returning ${COLUMNS}`.execute(store.db);
  return rows[0];
}

/** The caller must check whether the token is still valid. */
export async function readToken(store: Store, hash: Buffer): Promise<(ApiToken & { hash: Buffer }) | undefined> {
  const { rows } = await sql<ApiToken & { hash: Buffer }>`
    select ${COLUMNS}, hash from ${store.table('api_tokens')} where hash = ${hash}`.execute(store.db);
  return rows[0];
}

/** The key in `meta` that stays when a purge erases tokens. */
const HAD_TOKENS = 'had_api_tokens';

/**
 * Whether the ledger has or had a token, even one that was revoked or erased. Otherwise revoking or erasing the last
 * token would open the API to everybody.
 */
export async function hasHadTokens(store: Store): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from ${store.table('api_tokens')})
      or exists (select from ${store.table('meta')} where key = ${HAD_TOKENS}) as has`.execute(store.db);
  return rows[0]!.has;
}

/** Records that the ledger has tokens, if it has any. A purge calls this before it erases tokens. */
export async function rememberTokens(store: Store): Promise<void> {
  await sql`insert into ${store.table('meta')} (key, value) select ${HAD_TOKENS}, 'true'
    where exists (select from ${store.table('api_tokens')}) on conflict (key) do nothing`.execute(store.db);
}

export async function readTokens(store: Store): Promise<ApiToken[]> {
  const { rows } = await sql<ApiToken>`select ${COLUMNS} from ${store.table('api_tokens')}
    order by created_at desc, name`.execute(store.db);
  return rows;
}

/** Revoke the token with a name; returns undefined if no token has the name, or only revoked ones. */
export async function revokeToken(store: Store, name: string, actor: string): Promise<ApiToken | undefined> {
  const { rows } = await sql<ApiToken>`
    update ${store.table('api_tokens')} set revoked_at = clock_timestamp(), revoked_by = ${actor}
    where name = ${name} and revoked_at is null returning ${COLUMNS}`.execute(store.db);
  return rows[0];
}
