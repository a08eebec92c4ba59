import { hostname } from 'node:os';
import { Context, type Info } from '@temporalio/activity';
import type { TransactionClient } from '../store/leases';
import { startHeartbeats } from './heartbeats';
import { HeldLease } from './held-lease';
import { checkStep, type LeaseOptions, leaseKey, leaseTerms } from './lease-options';
import { ledgerOf } from './ledger';
import { savedDetails } from './saved-details';
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
  /** Record progress, as the activity's own `heartbeat` does. The regular heartbeats repeat the last progress. */
  heartbeat(details: unknown): void;
  /**
   * Fence the transaction that is open on `client`, in the ledger's database: the transaction either commits before
   * another holder can acquire the lease, or does not commit. If the lease is already over, Postgres marks the
   * transaction as failed, so that it can only roll back. Until the transaction ends, its
   * `idle_in_transaction_session_timeout` is at most the lease's time to live.
   *
   * @throws {LeaseLostError} when the lease is over
   * @throws {InvalidLeaseError} when no transaction is open
   */
  guard(client: TransactionClient): Promise<void>;
}

/**
 * Run `fn` while this activity alone holds the lease on `resource`. While another holder has the lease, the function
 * waits for at most `waitAtMost`. The lease is renewed every quarter of its time to live, and released when `fn` ends.
 * From the beginning, the activity heartbeats, unless it is a local one.
 *
 * Unless the lease is released, deleted, or lost by a failover, another activity can take it only after it has expired
 * by the database's clock. If the process was frozen for so long, `lease.signal` aborts when the process continues, and
 * `lease.guard` fails.
 *
 * @param resource names what only one activity may work on at a time, such as `invoice/4711`
 * @throws {LeaseHeldError} another holder had the lease at the last try
 * @throws {LeaseLostError} the lease was lost before it was released, whatever `fn` returned or threw
 * @throws {GuardTimeoutError} Postgres ended a guarded transaction that was idle for too long, and `fn` threw an error
 *   that is no `TemporalFailure`
 * @throws {PostgresUnreachableError} Postgres did not answer the last try
 * @throws {StatementTimeoutError} Postgres took too long over the last try
 * @throws {InvalidLeaseError} for invalid arguments, such as a `ttl` under 1 second or an empty `resource`
 * @throws {LeasesNotConfiguredError} the worker has neither `EscapementPlugin` nor `leaseInterceptor`
 * @throws the error that `fn` throws; the `CancelledFailure` of an activity that is cancelled before `fn` runs; an
 *   `Error` outside of an activity
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
  let endSilence = () => {};
  try {
    const asked = { resource, key, holder: holderText(context.info), ...terms };
    const won = await ledger.metrics.during((onHeld) => waitForLease(store, asked, { cancelled, onHeld }));
    const held = new HeldLease(store, { resource, key, ...won, ...terms }, context.log);
    // Without heartbeats, the heartbeat timeout ends an activity whose work continues although its lease is lost. So
    // the regular heartbeats of the activity's other leases stop too.
    const silence = () => {
      endSilence = savedDetails(context).silence();
    };
    held.lost.addEventListener('abort', silence);
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
      // A late `guard` may still find the lease lost, but the work has ended.
      held.lost.removeEventListener('abort', silence);
      held.lost.throwIfAborted();
    }
  } finally {
    endSilence();
    stopBeating();
  }
}

/** For example `nightly-report-workflow-2026-03-01T02:00:00Z/0192… sendReport#2 on host`. */
function holderText(info: Info): string {
  const { workflowExecution, activityType, activityId, attempt } = info;
  const whose = workflowExecution ? `${workflowExecution.workflowId}/${workflowExecution.runId}` : activityId;
  return `${whose} ${activityType}#${attempt} on ${hostname()}`;
}
