import type { Store } from '../../store/connection';
import type { ClientContext } from '../context';
import { describeWhatCan } from '../describe/describe-live';
import type { ScheduleDescription } from '../describe/schedule-description';
import type { TransactionOptions } from '../transaction';
import { readLive } from './change';

/** How to delete a schedule. */
export interface DeleteOptions extends TransactionOptions {
  /**
   * Called and awaited with the schedule that is about to be deleted, while nobody else can change it. If this function
   * throws, nothing is deleted. @default no check
   */
  expected?: ((found: ScheduleDescription) => void | Promise<void>) | undefined;
}

/** Describes a schedule in the transaction that has locked it. */
export async function describeLocked(
  context: ClientContext,
  transaction: Store,
  scheduleId: string,
): Promise<ScheduleDescription> {
  const within = { ...context, store: { ...transaction, close: async () => undefined } };
  return describeWhatCan(within, await readLive(within, scheduleId));
}
