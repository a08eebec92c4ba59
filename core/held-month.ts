import { counted } from './counted';
import { inShell } from './shell';

/**
 * The oldest unsettled letter of a month, or else its oldest open firing. This letter or firing keeps the month from
 * being retired.
 */
interface Holder {
  scheduleId: string;
  scheduledTime: Date;
  /** The ID of the unsettled dead letter; null if an open firing keeps the month. */
  letterId: string | null;
  open: number;
}

/** Says in one sentence each why the month is kept, and what to do. @param month the month's name, such as `2026-03` */
export function heldMonth(month: string, { scheduleId, scheduledTime, letterId, open }: Holder) {
  const many = counted(open, 'open firing or letter', 'open firings and letters');
  const time = scheduledTime.toISOString();
  return {
    text: `${month} is older than the retention, but is kept because of ${many}, such as that of '${scheduleId}' at ${time}.`,
    action: letterId
      ? `Settle the dead letter: 'escapement dead-letter show ${letterId}'.`
      : `To see why it is open, run 'escapement explain ${inShell(scheduleId)} ${time}'.`,
  };
}
