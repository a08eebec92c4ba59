import type { CalendarSpecDescription } from '../../core/schedule/spec';

/** An empty calendar, as Temporal's describe returns it: midnight of every day. */
export const UNSET_CALENDAR: CalendarSpecDescription = {
  second: [{ start: 0, end: 0, step: 1 }],
  minute: [{ start: 0, end: 0, step: 1 }],
  hour: [{ start: 0, end: 0, step: 1 }],
  dayOfMonth: [{ start: 1, end: 31, step: 1 }],
  month: [{ start: 'JANUARY', end: 'DECEMBER', step: 1 }],
  dayOfWeek: [{ start: 'SUNDAY', end: 'SATURDAY', step: 1 }],
  year: [],
  comment: '',
};
