/** What keeps a month of firings past the retention. */
interface Holder {
  scheduleId: string;
  scheduledTime: Date;
  /** The dead letter that waits for a person; null of a firing that is open. */
  letterId: string | null;
  /** Open letters and firings of the month. */
  open: number;
}

/** What is wrong, and what to do about it, each in a sentence. @param month such as `2026-03` */
export function heldMonth(month: string, { scheduleId, scheduledTime, letterId, open }: Holder) {
  const many = `${open.toLocaleString('en')} open ${open === 1 ? 'firing or letter' : 'firings and letters'}`;
  const time = scheduledTime.toISOString();
  return {
    text: `${month} is older than the retention and is kept for ${many}, the first of '${scheduleId}' at ${time}.`,
    action: letterId
      ? `Decide on it: 'escapement dead-letter show ${letterId}'.`
      : `See what it waits for: 'escapement explain ${scheduleId} ${time}'.`,
  };
}
