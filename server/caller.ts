/** The scopes of a caller. Scopes are independent: `write` does not include `read`. */
export const SCOPES = ['read', 'write', 'operate', 'admin'] as const;
/** What a caller may do. */
export type Scope = (typeof SCOPES)[number];

/** Who calls. */
export interface Caller {
  /** Recorded as the actor of the caller's changes. */
  actor: string;
  /** Name of the token; undefined for a caller without a token. */
  token: string | undefined;
  /** The one tenant that the caller can read and write; undefined for all tenants. */
  tenant: string | undefined;
  scopes: ReadonlySet<Scope>;
  /** Address that the request came from. */
  address: string;
}
