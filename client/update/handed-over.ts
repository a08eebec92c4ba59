import type { Store } from '../../store/connection';
import { type Firing, readHandedOver } from '../../store/reads/read-firings';
import type { LockedSchedule } from '../../store/schedules/lock';

/** Firings that a change of a schedule can no longer affect. */
export interface HandedOver {
  /**
   * Firings that were claimed a few seconds ahead of their time, since many are due then, and that have not started
   * yet. These firings fire with the definition with which they were claimed. Oldest first. Usually empty, except while
   * Temporal is away.
   */
  handedOver: Firing[];
}

/** Change a schedule under its lock, and return the firings that the change cannot affect. */
export async function namingHandedOver(
  transaction: Store,
  locked: LockedSchedule,
  change: Promise<void>,
): Promise<HandedOver> {
  await change;
  return { handedOver: await readHandedOver(transaction, locked) };
}
