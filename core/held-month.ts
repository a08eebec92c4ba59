import { counted } from './counted';

/** What prevents a month of firings from being retired. */
interface Holder {
  scheduleId: string;
  scheduledTime: Date;
  /** The dead letter that is open; null for an open firing. */
  letterId: string | null;
  /** Number of open letters and firings in the month. */
  open: number;
}

/** The problem and its solution, one sentence each. @param month such as `2026-03` */
export function heldMonth(month: string, { scheduleId, scheduledTime, letterId, open }: Holder) {
  const many = counted(open, 'open firing or letter', 'open firings and letters');
  const time = scheduledTime.toISOString();
  return {
    text: `${month} is older than the retention, but is kept because of ${many}, the first of '${scheduleId}' at ${time}.`,
    action: letterId
      ? `Settle the dead letter: 'escapement dead-letter show ${letterId}'.`
      : `To see why it is open, run 'escapement explain ${scheduleId} ${time}'.`,
  };
}
