import type { Context } from '@temporalio/activity';
import { DEFAULTS } from '../core/defaults';
import { savedDetails } from './saved-details';

/** Send a heartbeat now and at each interval, until the returned function is called. */
export function startHeartbeats(context: Context, longestPauseMilliseconds = Number.POSITIVE_INFINITY): () => void {
  const { isLocal, heartbeatTimeoutMs } = context.info;
  // A local activity sends no heartbeats; a cancellation reaches it in another way.
  if (isLocal) return () => {};
  const pause = Math.min(
    DEFAULTS.activityHeartbeatMilliseconds,
    longestPauseMilliseconds,
    heartbeatTimeoutMs ? heartbeatTimeoutMs / 4 : Number.POSITIVE_INFINITY,
  );
  const { heartbeat } = savedDetails(context);
  heartbeat();
  const timer = setInterval(heartbeat, pause);
  return () => clearInterval(timer);
}
