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
  /** The resource of the lease. */
  readonly resource: string;
  /**
   * The fencing token of this holder. The token grows with each holder of the resource, so a system that remembers the
   * highest token can refuse older holders.
   */
  readonly token: number;
  /** Aborts when the lease is lost (reason: `LeaseLostError`) or the activity is cancelled (`CancelledFailure`). */
  readonly signal: AbortSignal;
  /** Save progress at once, as the activity's own `heartbeat` does. The regular heartbeats keep the saved progress. */
  heartbeat(details: unknown): void;
  /**
   * Fence a transaction that is open on `client`, in the ledger's database: from here on, the transaction either
   * commits before another holder can acquire the lease, or does not commit. If the lease is over, Postgres marks the
   * transaction as failed, and it can only roll back. Until the transaction ends, `idle_in_transaction_session_timeout`
   * is at most the lease's time to live.
   *
   * @throws {LeaseLostError} when the lease is over
   * @throws {InvalidLeaseError} when no transaction is open
   */
  guard(client: TransactionClient): Promise<void>;
}

/**
 * Run `fn` while this activity alone holds the lease on `resource`. While another holder has the lease, the function
 * waits and sends heartbeats. The lease is renewed every quarter of its time to live, together with a heartbeat to
 * Temporal. The lease is released when `fn` ends.
 *
 * Another process can take the lease only after it expired by the database's clock. A process that was frozen meanwhile
 * finds `lease.signal` aborted, and `lease.guard` fails.
 *
 * @param resource names what only one activity may work on at a time, such as `invoice/4711`
 * @throws {LeaseHeldError} another holder kept the lease for as long as this call waited
 * @throws {LeaseLostError} the lease was lost before `fn` ended, whatever `fn` returned or threw
 * @throws {GuardTimeoutError} Postgres ended a guarded transaction that was idle for the lease's time to live, and `fn`
 * threw because of that
 * @throws {PostgresUnreachableError} Postgres did not answer for as long as this call waited
 * @throws {InvalidLeaseError} `ttl` under 1 second, an empty `resource`, or an unknown option
 * @throws {LeasesNotConfiguredError} the worker has neither `EscapementPlugin` nor `leaseInterceptor`
 * @throws the error that `fn` throws; an `Error` outside of an activity
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
    // The heartbeats stop, so that Temporal notices work that continues although its lease is lost.
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

/**
 * A text that names the holder for people: `nightly-report-workflow-2026-03-01T02:00:00Z/0192… sendReport#2 on host`.
 */
function holderText(info: Info): string {
  const { workflowExecution, activityType, activityId, attempt } = info;
  const whose = workflowExecution ? `${workflowExecution.workflowId}/${workflowExecution.runId}` : activityId;
  return `${whose} ${activityType}#${attempt} on ${hostname()}`;
}
