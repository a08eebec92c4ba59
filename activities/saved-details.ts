import type { Context } from '@temporalio/activity';

/** The progress that an activity has saved by heartbeats, and how to send it again. */
export interface SavedDetails {
  /** Send a heartbeat without changing what is saved. */
  heartbeat(): void;
}

const savedByContext = new WeakMap<Context, SavedDetails>();

/**
 * Remember from here on what the activity saves, whichever way it calls `heartbeat`: a heartbeat without those details would
 * wipe them. Begins with what the attempt before has left.
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
