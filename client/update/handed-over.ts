import type { Store } from '../../store/connection';
import { type Firing, readHandedOver } from '../../store/reads/read-firings';
import type { LockedSchedule } from '../../store/schedules/lock';

/** What a change of a schedule cannot take back. */
export interface HandedOver {
  /**
   * Firings that were claimed a few seconds ahead of their time, because many are due then, until that has come and they are
   * started. They fire, with the definition they were claimed with. Oldest first; mostly empty, but while Temporal is away.
   */
  handedOver: Firing[];
}

/** Make a change under the schedule's lock, and name what it comes too late for. */
export async function namingHandedOver(
  transaction: Store,
  locked: LockedSchedule,
  change: Promise<void>,
): Promise<HandedOver> {
  await change;
  return { handedOver: await readHandedOver(transaction, locked) };
}
