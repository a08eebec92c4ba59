import { hostname } from 'node:os';
import { Context, type Info } from '@temporalio/activity';
import type { TransactionClient } from '../store/leases';
import { startHeartbeats } from './heartbeats';
import { HeldLease } from './held-lease';
import { checkStep, type LeaseOptions, leaseKey, leaseTerms } from './lease-options';
import { ledgerOf } from './ledger';
import { waitForLease } from './wait-for-lease';

/** A lease while the work under it runs. */
export interface Lease {
  /** What it is on. */
  readonly resource: string;
  /** Fencing token: grows with each holder of the resource, so that whoever keeps the highest one can refuse older ones. */
  readonly token: number;
  /** Aborts when the lease is lost (reason: `LeaseLostError`) or the activity is cancelled (`CancelledFailure`). */
  readonly signal: AbortSignal;
  /** Save progress at once, as the activity's own `heartbeat`; the heartbeats by the clock keep it. */
  heartbeat(details: unknown): void;
  /**
   * Fence a transaction that is open on `client`, in the ledger's database: from here it commits before another can take the
   * lease, or not at all. When the lease is over the transaction is in Postgres's failed state and can only roll back.
   * Bounds `idle_in_transaction_session_timeout` by the lease's time to live until the transaction ends.
   *
   * @throws {LeaseLostError} when the lease is over
   * @throws {InvalidLeaseError} when no transaction is open
   */
  guard(client: TransactionClient): Promise<void>;
}

/**
 * Run `fn` while this activity alone holds the lease on `resource`. Waits for another holder, heartbeating. The lease is
 * renewed every quarter of its time to live, Temporal's heartbeat is sent with it, and it is given back when `fn` ends.
 *
 * Other processes take a lease over only after it expired by the database's clock. A process that froze meanwhile finds
 * `lease.signal` aborted and `lease.guard` failing.
 *
 * @param resource names what only one activity may work on at a time, such as `invoice/4711`
 * @throws {LeaseHeldError} another held it for as long as this waited
 * @throws {LeaseLostError} it was lost before `fn` had ended, whatever `fn` returned or threw
 * @throws {GuardTimeoutError} Postgres ended a guarded transaction that was idle for as long as the lease lives, and `fn` threw for that
 * @throws {PostgresUnreachableError} Postgres was away for as long as this waited
 * @throws {InvalidLeaseError} `ttl` under 1 second, an empty `resource`, an option that there is not
 * @throws {LeasesNotConfiguredError} the worker has neither `EscapementPlugin` nor `leaseInterceptor`
 * @throws what `fn` throws; an `Error` outside of an activity
 * @see `docs/leases.md`
 */
export async function withLease<Result>(
  resource: string,
  fn: (lease: Lease) => Promise<Result>,
  options: LeaseOptions = {},
): Promise<Result> {
  const context = Context.current();
  checkStep(fn);
  const terms = leaseTerms(resource, options, context.info);
  const ledger = ledgerOf(context);
  const key = leaseKey(resource, ledger.tenant, options.tenant);
  const store = ledger.store();
  const cancelled = context.cancellationSignal;
  const stopBeating = startHeartbeats(context, terms.ttlMilliseconds / 4);
  try {
    const asked = { resource, key, holder: holderText(context.info), ...terms };
    const won = await ledger.metrics.during((onHeld) => waitForLease(store, asked, { cancelled, onHeld }));
    const held = new HeldLease(store, { resource, key, ...won, ...terms }, context.log);
    // Without heartbeats Temporal notices work that goes on though its lease is lost.
    held.lost.addEventListener('abort', stopBeating);
    try {
      cancelled.throwIfAborted();
      return await fn({
        resource,
        token: won.token,
        signal: AbortSignal.any([held.lost, cancelled]),
        heartbeat: (details) => context.heartbeat(details),
        guard: (client) => held.guard(client),
      });
    } catch (failure) {
      throw held.explained(failure);
    } finally {
      await held.release();
      held.lost.throwIfAborted();
    }
  } finally {
    stopBeating();
  }
}

/** Names the holder for people: `nightly-report-workflow-2026-03-01T02:00:00Z/0192… sendReport#2 on host`. */
function holderText(info: Info): string {
  const { workflowExecution, activityType, activityId, attempt } = info;
  const whose = workflowExecution ? `${workflowExecution.workflowId}/${workflowExecution.runId}` : activityId;
  return `${whose} ${activityType}#${attempt} on ${hostname()}`;
}
