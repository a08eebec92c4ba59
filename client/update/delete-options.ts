import type { ScheduleDescription } from '../describe/schedule-description';
import type { TransactionOptions } from '../transaction';

/** How to delete a schedule. */
export interface DeleteOptions extends TransactionOptions {
  /**
   * Called and awaited with the schedule that is about to be deleted; up to 5 times, while others change the schedule.
   * If this function throws, nothing is deleted. @default no check
   */
  expected?: ((found: ScheduleDescription) => void | Promise<void>) | undefined;
}
