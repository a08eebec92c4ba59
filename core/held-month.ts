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
    text: `${month} is older than the retention and is kept for ${many}, the first of '${scheduleId}' at ${time}.`,
    action: letterId
      ? `Decide on it: 'escapement dead-letter show ${letterId}'.`
      : `See what it waits for: 'escapement explain ${scheduleId} ${time}'.`,
  };
}
