import type { ScheduleSpec } from '../../core/schedule/spec';

const MOST_OF_A_MINUTE = { second: { start: 0, end: 44 }, minute: '*', hour: '*' } as const;

/**
 * Second 45 of each minute, found only after 45 others were asked of each of 400 calendars: one time is found within the
 * steps of an evaluation, ten are not.
 */
export const COSTLY_SPEC: ScheduleSpec = {
  cron: '0-45 * * * * *',
  skip: [...Array.from({ length: 399 }, () => ({ ...MOST_OF_A_MINUTE, year: 2000 })), MOST_OF_A_MINUTE],
};
