import type { ReadJwt } from '../access/oidc';
import type { RateLimit } from '../access/rate';

/** How callers are known. */
export interface Access {
  /** Reads JWTs of an issuer; undefined where none is set up. */
  readJwt: ReadJwt | undefined;
  rate: RateLimit;
}
