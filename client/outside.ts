import { setTimeout } from 'node:timers/promises';
import type { Store } from '../store/connection';

/** The longest wait for details of an error. */
const DETAILS_MILLISECONDS = 2_000;

/**
 * Read details of an error for its message. The query cannot use the caller's transaction, which has just failed. If
 * callers' transactions hold all connections of their pool, no connection is left for the query, so it may not wait.
 *
 * @returns undefined if the details cannot be read in time
 */
export async function detailsOf<Details>(
  store: Store,
  read: (outside: Store) => Promise<Details>,
): Promise<Details | undefined> {
  const reading = read(store.joined?.outside ?? store).catch(() => undefined);
  if (!store.joined) return reading;
  return Promise.race([reading, setTimeout(DETAILS_MILLISECONDS, undefined, { ref: false })]);
}
