import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { millisecondsOf } from '../../core/duration';
import { InvalidOptionError } from '../../core/errors';
import { name, tenant } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
import { type ApiToken, insertToken, readToken, readTokens, revokeToken } from '../../store/api/tokens';
import { openStore, type PostgresOptions, type Store } from '../../store/connection';
import { readNow } from '../../store/now';
import { SCOPES, type Scope } from '../caller';

export type { ApiToken };

/** Prefix by which people and scanners recognise a token in a file. */
const PREFIX = 'esc_';
/** As many bytes as a SHA-256 hash has, so that a token cannot be guessed. */
const SECRET_BYTES = 32;

export interface TokenOptions {
  /**
   * Name of the token, unique among tokens that are not revoked. Every change that is made with the token is recorded
   * with this name.
   */
  name: string;
  scopes: Scope[];
  /** The only tenant to which the token gives access. @default all tenants */
  tenant?: string | undefined;
  /** The lifetime of the token, such as '90 days'. @default no expiry */
  expiresAfter?: string | number | undefined;
  actor: string;
}

const tokenOptions = z.strictObject({
  name,
  scopes: z.array(z.enum(SCOPES)).min(1),
  tenant: tenant.optional(),
  expiresAfter: z
    .custom((value) => (millisecondsOf(value) ?? 0) > 0, { error: "is not a duration such as '90 days'" })
    .optional(),
  actor: name,
} satisfies FieldsOf<TokenOptions>);

/**
 * Create a token. The token itself is returned only here, since the ledger stores only its hash.
 *
 * @throws {InvalidOptionError} for a name that is taken, and for an option that is not allowed
 */
export async function createToken(
  postgres: PostgresOptions,
  options: TokenOptions,
): Promise<ApiToken & { token: string }> {
  checkOptions(tokenOptions, options);
  const { expiresAfter, actor, scopes, tenant: of } = options;
  const token = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const after = millisecondsOf(expiresAfter);
  return on(postgres, async (store) => {
    const made = await insertToken(store, {
      tokenId: randomUUID(),
      name: options.name,
      hash: hashOf(token),
      tenant: of ?? null,
      scopes: SCOPES.filter((scope) => scopes.includes(scope)),
      createdBy: actor,
      expiresAt: after === undefined ? null : new Date((await readNow(store)).getTime() + after),
    });
    if (made) return { ...made, token };
    throw new InvalidOptionError('name', `'${options.name}' is taken; revoke that token first, or choose another name`);
  });
}

/** All tokens, including revoked and expired ones, newest first. */
export async function listTokens(postgres: PostgresOptions): Promise<ApiToken[]> {
  return on(postgres, readTokens);
}

/** Revoke a token: the next request with it is refused. @throws {InvalidOptionError} for a missing or revoked token */
export async function endToken(postgres: PostgresOptions, called: string, actor: string): Promise<ApiToken> {
  return on(postgres, async (store) => {
    const revoked = await revokeToken(store, called, actor);
    if (revoked) return revoked;
    throw new InvalidOptionError(
      'name',
      `there is no token '${called}', or it is already revoked; 'escapement token list' lists them`,
    );
  });
}

/** The rights of a token; undefined if it is unknown, revoked or expired. */
export async function findToken(store: Store, token: string, now: Date): Promise<ApiToken | undefined> {
  const hash = hashOf(token);
  const found = await readToken(store, hash);
  // The index compares hashes, not tokens, so the response time reveals nothing about a token.
  if (!found || !timingSafeEqual(found.hash, hash)) return undefined;
  if (found.revokedAt !== null) return undefined;
  if (found.expiresAt !== null && found.expiresAt <= now) return undefined;
  return found;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

async function on<Result>(postgres: PostgresOptions, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = openStore(postgres);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
