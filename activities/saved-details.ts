import type { Context } from '@temporalio/activity';

export interface SavedDetails {
  /** Send a heartbeat with the same details, unless the activity is silenced. */
  heartbeat(): void;
  /** Suppress these heartbeats until every function that this method returned has been called. */
  silence(): () => void;
}

const savedByContext = new WeakMap<Context, SavedDetails>();

/**
 * Remember the details of each heartbeat that the activity sends, so that they can be sent again: a heartbeat without
 * details would delete them. Until the activity's first heartbeat, the remembered details are those of the earlier
 * attempt.
 */
export function savedDetails(context: Context): SavedDetails {
  const known = savedByContext.get(context);
  if (known) return known;

  const send = context.heartbeat;
  let details: unknown = context.info.heartbeatDetails;
  const heartbeat = (next?: unknown) => {
    details = next;
    send(next);
  };
  Object.defineProperty(context, 'heartbeat', { value: heartbeat, configurable: true, enumerable: true });
  let silencers = 0;
  const saved = {
    heartbeat: () => {
      if (silencers === 0) send(details);
    },
    silence: () => {
      silencers += 1;
      return () => {
        silencers -= 1;
      };
    },
  };
  savedByContext.set(context, saved);
  return saved;
}
