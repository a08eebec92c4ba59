import type { Context } from '@temporalio/activity';
import { DEFAULTS } from '../core/defaults';
import { savedDetails } from './saved-details';

/**
 * Send heartbeats until the returned function is called: one now, and then one at each interval. The interval is 15
 * seconds, a quarter of the activity's heartbeat timeout, or the given longest pause, whichever is shortest.
 */
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
