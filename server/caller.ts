/** The scopes of a caller. Scopes are independent: `write` does not include `read`. */
export const SCOPES = ['read', 'write', 'operate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The name with which the caller's changes are recorded. */
  actor: string;
  /** The name of the API token, or `oidc:` and the subject of the JWT; undefined for a caller without a token. */
  token: string | undefined;
  /** The only tenant to which the caller has access; undefined for all tenants. */
  tenant: string | undefined;
  scopes: ReadonlySet<Scope>;
  address: string;
}
