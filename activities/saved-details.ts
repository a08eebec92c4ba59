import type { Context } from '@temporalio/activity';

/** The progress that an activity has saved by heartbeats, and how to send it again. */
export interface SavedDetails {
  /** Send a heartbeat without changing the saved details. */
  heartbeat(): void;
}

const savedByContext = new WeakMap<Context, SavedDetails>();

/**
 * Remember the details that the activity saves, in whichever way it calls `heartbeat`: a heartbeat without details
 * would delete them. The first details are those of the earlier attempt.
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
  const saved = { heartbeat: () => send(details) };
  savedByContext.set(context, saved);
  return saved;
}
