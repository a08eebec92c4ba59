import type { ReadJwt } from '../access/oidc';
import type { RateLimit } from '../access/rate';

export interface Access {
  /** Reads JWTs of an issuer; undefined if no issuer is configured. */
  readJwt: ReadJwt | undefined;
  rate: RateLimit;
  /**
   * Hosts that requests without a token may name, besides this machine's own. A host comes with the port of its pages,
   * unless that is the usual port of the protocol.
   */
  allowedHosts: string[];
}
