import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { isPrintable } from '../../core/option-fields';
import { SCOPES, type Scope } from '../caller';

/** Whose JWTs are taken, and what their claims mean. */
export interface OidcOptions {
  /** What `iss` must be. */
  issuer: string;
  /** What `aud` must have. */
  audience: string;
  /** Where the keys are, such as `https://issuer/.well-known/jwks.json`. */
  jwksUrl: string;
  /** The claim with the tenant. @default 'tenant' */
  tenantClaim?: string | undefined;
  /** The claim with the scopes: a list, or a text with spaces between. @default 'scope' */
  scopeClaim?: string | undefined;
}

/** Whom a JWT stands for. */
export interface OidcCaller {
  subject: string;
  tenant: string | undefined;
  scopes: Scope[];
}

const SCOPE_PREFIX = 'escapement:';
/** Without it a JWT without a tenant is refused: a claim that somebody forgot must not open all tenants. */
const ALL_TENANTS = 'all-tenants';
/** What clocks may differ by. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** None of these is signed with a secret that we would have to share. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Reads JWTs: undefined for one that is not valid here. @throws what the network does where the keys cannot be had */
export type ReadJwt = (token: string) => Promise<OidcCaller | undefined>;

/** A reader of one issuer's JWTs. Asks for its keys at the first one, and again where one has an unknown key. */
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
      const isOurs = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
      if (isOurs) return undefined;
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
  if (!sub || !isPrintable(sub)) return undefined;
  return {
    subject: sub,
    tenant: isOfAll ? undefined : (tenant as string),
    scopes: SCOPES.filter((one) => words.includes(one)),
  };
}
