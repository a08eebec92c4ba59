import { ApplicationFailure } from '@temporalio/common';

/**
 * Another holder kept the lease for as long as the activity waited. Temporal retries the activity by its retry policy.
 * The cause of the workflow's `ActivityFailure` is an `ApplicationFailure` of type `LeaseHeldError`, whose `details[0]`
 * has the fields of this error.
 */
export class LeaseHeldError extends ApplicationFailure {
  override readonly name = 'LeaseHeldError';
  constructor(
    /** The resource of the lease. */
    readonly resource: string,
    /** The holder of the lease; undefined if the holder changed during the last try. */
    readonly holder: string | undefined,
    /** When the lease ends unless it is renewed, by the database's clock. */
    readonly until: Date | undefined,
  ) {
    super(
      `the lease on '${resource}' is held by ${holder ?? 'another activity'}${until ? ` until ${until.toISOString()}` : ''}; ` +
        'wait longer with waitAtMost, or let Temporal retry the activity',
      'LeaseHeldError',
      false,
      [{ resource, holder, until: until?.toISOString() }],
    );
  }
}

/**
 * The lease ended while the work still ran, and another holder may have taken it. No transaction under `guard` commits
 * after somebody took it. Temporal retries the activity by its retry policy.
 */
export class LeaseLostError extends ApplicationFailure {
  override readonly name = 'LeaseLostError';
  constructor(
    /** The resource of the lease. */
    readonly resource: string,
    /** The fencing token of the lease that was lost. */
    readonly token: number,
    why: string,
  ) {
    // The error has no cause, since Temporal shows the innermost failure, which would not mention the lease.
    super(`the lease on '${resource}' with token ${token} is lost: ${why}`, 'LeaseLostError', false, [
      { resource, token },
    ]);
  }
}

/**
 * Postgres ended a transaction under `guard` because it was idle for the lease's time to live, or for a shorter limit of
 * its own. Nothing of the transaction was written. Temporal retries the activity by its retry policy.
 */
export class GuardTimeoutError extends ApplicationFailure {
  override readonly name = 'GuardTimeoutError';
  constructor(
    /** The resource of the lease. */
    readonly resource: string,
    /** The time to live of the lease, in milliseconds. */
    readonly ttlMilliseconds: number,
    failure: string,
  ) {
    super(
      `Postgres ended the transaction guarded by the lease on '${resource}': it was idle for ${ttlMilliseconds / 1_000} s, the lease's ` +
        `time to live, or longer than its own limit. Do what is slow before 'begin', or give a longer ttl (${failure})`,
      'GuardTimeoutError',
      false,
      [{ resource, ttlMilliseconds }],
    );
  }
}

/** The lease was requested with options that can never work, so the activity is not retried. */
export class InvalidLeaseError extends ApplicationFailure {
  override readonly name = 'InvalidLeaseError';
  constructor(message: string) {
    super(message, 'InvalidLeaseError', true);
  }
}

/**
 * The worker that runs the activity has no connection to the ledger. The activity is retried, since another worker may
 * have a connection.
 */
export class LeasesNotConfiguredError extends ApplicationFailure {
  override readonly name = 'LeasesNotConfiguredError';
  constructor() {
    super(
      'withLease needs Postgres: give the worker `plugins: [new EscapementPlugin({ pool })]`, ' +
        'or `interceptors: { activity: [leaseInterceptor({ pool })] }` of escapement/activity',
      'LeasesNotConfiguredError',
      false,
    );
  }
}
