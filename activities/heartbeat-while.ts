import { Context } from '@temporalio/activity';
import { startHeartbeats } from './heartbeats';
import { checkStep } from './lease-options';

/** The argument of a step that runs under {@link heartbeatWhile}. */
export interface Heartbeat {
  /** Aborts when the activity is cancelled; its reason is Temporal's `CancelledFailure`. */
  readonly signal: AbortSignal;
  /** Save progress at once. The next attempt finds the progress in `activityInfo().heartbeatDetails`. */
  heartbeat(details: unknown): void;
}

/**
 * Run a long step and send heartbeats to Temporal at regular intervals until it ends: every 15 seconds, or four times
 * within the activity's heartbeat timeout. Details that the activity or an earlier attempt saved by `heartbeat` are
 * kept. Use this function deliberately: regular heartbeats also keep a step alive that hangs.
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
