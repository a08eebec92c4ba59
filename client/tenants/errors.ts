/** A tenant has as many live schedules as an operator allows it. Nothing was written. */
export class TenantQuotaError extends Error {
  override readonly name = 'TenantQuotaError';
  /** Live schedules that it may have. */
  readonly limit: number;
  /** Live schedules that it has. */
  readonly live: number;
  /** How many more the call was to create. */
  readonly more: number;
  constructor(
    /** Whose quota it is. */
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

/** Nothing limits a tenant of this name. Nothing was changed. */
export class TenantNotFoundError extends Error {
  override readonly name = 'TenantNotFoundError';
  constructor(
    /** The name that was given. */
    readonly tenant: string,
  ) {
    super(`nothing limits a tenant '${tenant}'; 'escapement tenant list' shows those that are limited`);
  }
}
