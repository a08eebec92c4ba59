/** What a caller may do. Each one stands for itself: `write` is not `read`. */
export const SCOPES = ['read', 'write', 'operate', 'admin'] as const;
/** What a caller may do. */
export type Scope = (typeof SCOPES)[number];

/** Who calls. */
export interface Caller {
  /** Stands as actor in what they change. */
  actor: string;
  /** Name of the token; undefined for a caller without one. */
  token: string | undefined;
  /** The one tenant that they see and write; undefined for all. */
  tenant: string | undefined;
  scopes: ReadonlySet<Scope>;
  /** Where the request came from. */
  address: string;
}
