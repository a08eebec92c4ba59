import { z } from 'zod';
import { isCalendarName } from '../../core/occurrences/days/day-names';
import { DAYS_AT_MOST } from '../../core/occurrences/days/read-days';
import { isDate } from '../../core/occurrences/read';
import { callback, flag, storable, tenant, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';

/** One day of a calendar. */
export interface CalendarDay {
  /** The date, such as `2026-12-25`. */
  day: string;
  /** Label of the day, such as `Christmas Day`. */
  label?: string;
}

/** The days of a calendar: give either `days` or `ics`. */
export interface PutCalendarOptions {
  /**
   * Dates such as `2026-12-25`, or days with labels; at most 10,000. An empty list makes a calendar without days.
   * @default none: `ics` has the days
   */
  days?: (string | CalendarDay)[];
  /** Text of an iCalendar file, whose whole-day events become the days, at most 10,000. @default none: see `days` */
  ics?: string;
  /** With `ics`: recurring events count from this day on. @default 1 January five years ago */
  from?: string;
  /** With `ics`: recurring events count up to and including this day. @default 31 December in ten years */
  through?: string;
  /** With `ics`: leave out events that begin at a time of day. @default false: they are refused */
  ignoreTimed?: boolean;
  /** Tenant of the calendar. @default the client's tenant, or none */
  tenant?: string;
  /** Write nothing, and return which schedules would change. @default false */
  dryRun?: boolean;
  /**
   * Called and awaited after each batch; `total` schedules were tried so far, and `written` changed.
   * @default no callback
   */
  progress?: (progress: { written: number; total: number }) => unknown;
}

/** Which calendars to list. */
export interface ListCalendarsOptions {
  /** Only calendars of this tenant. @default the client's tenant, or all tenants */
  tenant?: string | undefined;
}

/** The tenant whose calendar is meant. */
export interface CalendarOfOptions {
  /** Tenant of the calendar. @default the client's tenant, or none */
  tenant?: string | undefined;
}

const LONGEST_LABEL = 200;
/** The maximum length of an iCalendar file, in characters. */
const LONGEST_FILE = 5_000_000;

const NO_DAY = 'is not a date such as 2026-12-25';

/** The error text for a value that is no day of a calendar. It depends on the type of the value. */
export const noDay = ({ input }: { input?: unknown }) =>
  typeof input === 'string' ? NO_DAY : 'is neither a date such as 2026-12-25 nor { day, label } with texts';

const day = z.string().refine(isDate, { error: NO_DAY });
const label = storable.refine((value) => value.length <= LONGEST_LABEL, {
  error: `is longer than ${LONGEST_LABEL} characters`,
});

export const calendarName = z.strictObject({
  name: z.custom<string>(isCalendarName, {
    error: 'is not a name for a calendar: use a letter, then letters, digits, -, _ and ., at most 100 bytes',
  }),
});

export const putCalendarOptions = z.strictObject({
  days: z
    .array(z.union([day, z.strictObject({ day, label: label.optional() })], { error: noDay }))
    .max(DAYS_AT_MOST)
    .optional(),
  ics: z.string().max(LONGEST_FILE).optional(),
  from: day.optional(),
  through: day.optional(),
  ignoreTimed: flag.optional(),
  tenant: tenant.exactOptional(),
  dryRun: flag.optional(),
  progress: callback.optional(),
} satisfies FieldsOf<PutCalendarOptions>);

export const listCalendarsOptions = z.strictObject({
  tenant: tenantOrAll,
} satisfies FieldsOf<ListCalendarsOptions>);

export const calendarOfOptions = z.strictObject({ tenant: tenantOrAll } satisfies FieldsOf<CalendarOfOptions>);
