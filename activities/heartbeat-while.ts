import { Context } from '@temporalio/activity';
import { startHeartbeats } from './heartbeats';
import { checkStep } from './lease-options';

/** The argument of the function that {@link heartbeatWhile} runs. */
export interface Heartbeat {
  /** Aborts when the activity is cancelled; its reason is Temporal's `CancelledFailure`. */
  readonly signal: AbortSignal;
  /** Record progress, as the activity's own `heartbeat` does. A later attempt has it as `heartbeatDetails`. */
  heartbeat(details: unknown): void;
}

/**
 * Run `fn`, and call the activity's `heartbeat` until `fn` ends: every 15 seconds, or every quarter of the activity's
 * heartbeat timeout if that is shorter; the SDK sends fewer. These heartbeats repeat the details that were last
 * recorded. A worker with neither the plugin nor `leaseInterceptor` does not know what an attempt recorded before its
 * first call of this function. A local activity sends no heartbeats. If the activity loses a lease, the heartbeats stop
 * until that `withLease` has ended. Use this function deliberately: these heartbeats also keep an activity alive that
 * hangs.
 *
 * @throws {InvalidLeaseError} if `fn` is no function
 * @throws what `fn` throws; an `Error` outside of an activity
 * @see `docs/leases.md`
 */
export async function heartbeatWhile<Result>(fn: (heartbeat: Heartbeat) => Promise<Result>): Promise<Result> {
  const context = Context.current();
  checkStep(fn);
  const stop = startHeartbeats(context);
  try {
    return await fn({
      signal: context.cancellationSignal,
      heartbeat: (details) => context.heartbeat(details),
    });
  } finally {
    stop();
  }
}
