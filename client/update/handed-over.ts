import type { Store } from '../../store/connection';
import { type Firing, readHandedOver } from '../../store/reads/read-firings';
import type { LockedSchedule } from '../../store/schedules/lock';

/** Firings that a change of a schedule can no longer affect. */
export interface HandedOver {
  /**
   * Firings that pre-start has claimed ahead of their time, and that have not begun. These firings start with the
   * definition with which they were claimed. The oldest firing comes first. The list is usually empty.
   */
  handedOver: Firing[];
}

export async function namingHandedOver(
  transaction: Store,
  locked: LockedSchedule,
  change: Promise<void>,
): Promise<HandedOver> {
  await change;
  return { handedOver: await readHandedOver(transaction, locked) };
}
