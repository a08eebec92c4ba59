/**
 * The tenant's quota of live schedules has no room for the schedules to be created. None of them was written, but
 * earlier batches of an apply stay.
 */
export class TenantQuotaError extends Error {
  override readonly name = 'TenantQuotaError';
  /** Number of live schedules that the tenant may have. */
  readonly limit: number;
  /** Number of live schedules that the tenant has. */
  readonly live: number;
  /** Number of schedules of the tenant that were to be created. */
  readonly more: number;
  constructor(
    /** Tenant that has the quota. */
    readonly tenant: string,
    { limit, live, more }: { limit: number; live: number; more: number },
  ) {
    super(
      `tenant '${tenant}' may have ${limit} schedules, has ${live}, and ${more} more ${more === 1 ? 'was' : 'were'} to be created; delete some, or have an operator raise its quota`,
    );
    this.limit = limit;
    this.live = live;
    this.more = more;
  }
}

/** No limits are set for a tenant of this name. Nothing was changed. */
export class TenantNotFoundError extends Error {
  override readonly name = 'TenantNotFoundError';
  constructor(
    /** The name that was given. */
    readonly tenant: string,
  ) {
    super(`no tenant has limits under the name '${tenant}'; 'escapement tenant list' lists those with limits`);
  }
}
