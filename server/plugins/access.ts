import type { ReadJwt } from '../access/oidc';
import type { RateLimit } from '../access/rate';

export interface Access {
  /** Reads JWTs of an issuer; undefined if no issuer is configured. */
  readJwt: ReadJwt | undefined;
  rate: RateLimit;
  /**
   * Hosts that requests without a token may name, besides this machine's own. Each has the port of its pages, unless
   * they have the usual one.
   */
  allowedHosts: string[];
}
