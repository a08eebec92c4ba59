import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { isPrintable } from '../../core/option-fields';
import { SCOPES, type Scope } from '../caller';

/** Which issuer's JWTs are accepted, and how their claims are read. */
export interface OidcOptions {
  /** The value that the claim `iss` must have. */
  issuer: string;
  /** An audience that the claim `aud` must contain. */
  audience: string;
  /** The URL of the issuer's keys, such as `https://issuer/.well-known/jwks.json`. */
  jwksUrl: string;
  /** Name of the claim with the tenant. @default 'tenant' */
  tenantClaim?: string | undefined;
  /** Name of the claim with the scopes: a list, or a text separated by spaces. @default 'scope' */
  scopeClaim?: string | undefined;
}

export interface OidcCaller {
  subject: string;
  tenant: string | undefined;
  scopes: Scope[];
}

const SCOPE_PREFIX = 'escapement:';
/**
 * The scope with which a JWT without a tenant claim is accepted, for all tenants that the server serves. Without this
 * scope such a JWT is refused, since a forgotten claim must not give access to all tenants.
 */
const ALL_TENANTS = 'all-tenants';
const CLOCK_TOLERANCE_SECONDS = 30;
/** Only asymmetric algorithms are accepted, so that no secret must be shared with the issuer. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * Codes of the errors that `jose` throws when it cannot fetch or read the issuer's keys. After any other error of
 * `jose`, the JWT is refused.
 */
const OF_THE_ISSUER = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

/**
 * Reads a JWT; returns undefined if this server does not accept the JWT. @throws the error if the keys of the issuer
 * cannot be read
 */
export type ReadJwt = (token: string) => Promise<OidcCaller | undefined>;

/**
 * Returns a function that reads the JWTs of one issuer. The returned function fetches the issuer's keys for the first
 * JWT, and keeps them for some minutes. For a JWT with an unknown key it may fetch them earlier.
 */
export function jwtReader({
  issuer,
  audience,
  jwksUrl,
  tenantClaim = 'tenant',
  scopeClaim = 'scope',
}: OidcOptions): ReadJwt {
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  return async (token) => {
    try {
      const options = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_SECONDS };
      const { payload } = await jwtVerify(token, keys, { ...options, requiredClaims: ['exp', 'sub'] });
      return callerOf(payload, tenantClaim, scopeClaim);
    } catch (error) {
      if (error instanceof errors.JOSEError && !OF_THE_ISSUER.includes(error.code)) return undefined;
      throw error;
    }
  };
}

function callerOf(payload: JWTPayload, tenantClaim: string, scopeClaim: string): OidcCaller | undefined {
  const given = payload[scopeClaim];
  const words = (Array.isArray(given) ? given : typeof given === 'string' ? given.split(' ') : [])
    .filter((word): word is string => typeof word === 'string' && word.startsWith(SCOPE_PREFIX))
    .map((word) => word.slice(SCOPE_PREFIX.length));
  const tenant = payload[tenantClaim];
  const isOfAll = tenant === undefined && words.includes(ALL_TENANTS);
  if (!isOfAll && (typeof tenant !== 'string' || tenant === '')) return undefined;
  const { sub } = payload;
  // The library checks only that there is a `sub`.
  if (typeof sub !== 'string' || sub === '' || !isPrintable(sub)) return undefined;
  return {
    subject: sub,
    tenant: isOfAll ? undefined : (tenant as string),
    scopes: SCOPES.filter((one) => words.includes(one)),
  };
}
