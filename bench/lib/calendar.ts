import type { CalendarSpec, Month } from '@temporalio/client';

const MONTHS = [
  ...(['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE'] as const),
  ...(['JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'] as const),
] satisfies Month[];

/**
 * A calendar with a single instant, in a form that Escapement and Temporal's own Schedules read in the same way. The
 * instant is a whole second in UTC.
 */
export function calendarOf(instant: number): CalendarSpec {
  const date = new Date(instant);
  return {
    year: date.getUTCFullYear(),
    month: MONTHS[date.getUTCMonth()]!,
    dayOfMonth: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** The first whole second that is at least this many seconds ahead. */
export function secondsAhead(seconds: number): number {
  return Math.ceil(Date.now() / 1_000 + seconds) * 1_000;
}

/** The workflow ID of a firing, which is the same for Escapement's schedules and Temporal's own. */
export function workflowIdAt(scheduleId: string, instant: number): string {
  return `${scheduleId}-workflow-${new Date(instant).toISOString().replace('.000Z', 'Z')}`;
}
