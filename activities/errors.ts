import { ApplicationFailure } from '@temporalio/common';

/**
 * The activity has waited as long as `waitAtMost` allows, and has not got the lease. Temporal retries the activity by
 * its retry policy. The cause of the workflow's `ActivityFailure` is an `ApplicationFailure` of type `LeaseHeldError`,
 * whose `details[0]` has the fields of this error.
 */
export class LeaseHeldError extends ApplicationFailure {
  override readonly name = 'LeaseHeldError';
  constructor(
    /** The resource of the lease. */
    readonly resource: string,
    /** The holder that the last try found; undefined if the row of the lease was created during that try. */
    readonly holder: string | undefined,
    /** When this holder's lease ends unless the holder renews it, by the database's clock. */
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
 * The lease ended before the work under it did, and another holder may have the lease now. Once another holder has it,
 * no transaction that the former holder guarded can commit. Temporal retries the activity by its retry policy.
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
 * Postgres ended a guarded transaction that was idle for the lease's time to live, or for a shorter limit that Postgres
 * already had. Nothing of the transaction was written. Temporal retries the activity by its retry policy.
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

/** `withLease`, `guard` or `heartbeatWhile` was called in a way that can never work. The activity is not retried. */
export class InvalidLeaseError extends ApplicationFailure {
  override readonly name = 'InvalidLeaseError';
  constructor(message: string) {
    super(message, 'InvalidLeaseError', true);
  }
}

/**
 * The worker of the activity is not configured with a connection to the ledger. Temporal retries the activity by its
 * retry policy, since another worker may have such a connection.
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
