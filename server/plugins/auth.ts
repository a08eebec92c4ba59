import type { FastifyRequest } from 'fastify';
import { hasHadTokens } from '../../store/api/tokens';
import { findToken } from '../access/tokens';
import { type Caller, SCOPES, type Scope } from '../caller';
import type { ServerContext } from '../context';
import type { AnyOperation } from '../operation';
import { ProblemError, problem } from '../problems/problem';
import { refuseForeignPages } from './foreign-pages';

type Known = { name: string; tenant: string | undefined; scopes: readonly Scope[] };

const ALL = new Set(SCOPES);
const UNKNOWN = { 'www-authenticate': 'Bearer error="invalid_token"' };

/**
 * Identifies the caller, and checks the caller's rights. As long as the ledger has had no token and no issuer is
 * configured, a caller without a token has all rights. A server that asks for no token starts only on loopback.
 *
 * @throws {ProblemError} 401 for an unknown caller, 403 for a caller without the right or a page of another site, 429
 *   for too many requests, 503 if the keys that check a JWT cannot be read
 */
export async function authorize(
  request: FastifyRequest,
  { scope, operationId }: Pick<AnyOperation, 'scope' | 'operationId'>,
  context: ServerContext,
): Promise<Caller> {
  await context.setClock();
  const caller = await callerOf(request, context);
  if (caller.scopes.has(scope)) return caller;
  const detail = `'${operationId}' needs the scope '${scope}', and the token allows ${[...caller.scopes].join(', ') || 'nothing'}`;
  throw new ProblemError(problem(403, 'forbidden', 'The token does not allow this', detail), {
    'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}

/** Servers whose ledger has or had a token, as they have found out. They do not ask the ledger again. */
const haveTokens = new WeakSet<ServerContext>();

/** Whether the ledger has ever had a token, even if a purge has erased it since. Callers then need one. */
export async function asksWho(context: ServerContext): Promise<boolean> {
  if (haveTokens.has(context)) return true;
  const has = await hasHadTokens(context.store);
  if (has) haveTokens.add(context);
  return has;
}

async function callerOf(request: FastifyRequest, context: ServerContext): Promise<Caller> {
  const { authorization } = request.headers;
  const address = request.ip;
  if (authorization === undefined) {
    if (context.access.readJwt || (await asksWho(context))) {
      throw unauthorized('give a bearer token, as Authorization: Bearer …', { 'www-authenticate': 'Bearer' });
    }
    refuseForeignPages(request, context.access);
    return { actor: context.identity, token: undefined, tenant: context.tenant, scopes: ALL, address };
  }
  const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
  const known = token === undefined ? undefined : await find(token, context);
  if (!known) {
    if (!context.access.readJwt && !(await asksWho(context))) {
      throw unauthorized("the ledger has no token yet; 'escapement token create' creates one", UNKNOWN);
    }
    const detail =
      token !== undefined && jwtReaderFor(token, context)
        ? 'the server does not accept the JWT: check that it has not expired, and its issuer, audience and tenant claim'
        : 'the token is not known, was revoked or has expired';
    throw unauthorized(detail, UNKNOWN);
  }
  const wait = context.access.rate.take(known.name, Date.now());
  if (wait > 0) {
    const detail = `too many requests with this token; try again in ${wait} seconds`;
    throw new ProblemError(problem(429, 'too-many-requests', 'Too many requests', detail), {
      'retry-after': String(wait),
    });
  }
  const { tenant } = context;
  // A server of one tenant accepts no callers of other tenants.
  if (tenant !== undefined && known.tenant !== undefined && known.tenant !== tenant) {
    throw unauthorized('the token belongs to another tenant than this server', UNKNOWN);
  }
  return {
    actor: known.name,
    token: known.name,
    tenant: tenant ?? known.tenant,
    scopes: new Set(known.scopes),
    address,
  };
}

async function find(token: string, context: ServerContext): Promise<Known | undefined> {
  const { store, now, logger } = context;
  const readJwt = jwtReaderFor(token, context);
  if (readJwt) {
    const caller = await readJwt(token).catch((error) => {
      logger.warn('the keys of the OIDC issuer could not be read', { error });
      const detail = 'the server cannot read the keys of the issuer, so it cannot check the token; try again';
      throw new ProblemError(problem(503, 'issuer-unreachable', 'The issuer of the keys does not answer', detail), {
        'retry-after': '2',
      });
    });
    return caller && { name: `oidc:${caller.subject}`, tenant: caller.tenant, scopes: caller.scopes };
  }
  const found = await findToken(store, token, now());
  return found && { name: found.name, tenant: found.tenant ?? undefined, scopes: found.scopes as Scope[] };
}

/** The reader of JWTs, if the token is a JWT and the server accepts JWTs. */
function jwtReaderFor(token: string, { access }: ServerContext) {
  return token.split('.').length === 3 ? access.readJwt : undefined;
}

function unauthorized(detail: string, headers: Record<string, string>): ProblemError {
  return new ProblemError(problem(401, 'unauthorized', 'The caller is not known', detail), headers);
}
