import type {
  CalendarSpec,
  CalendarSpecDescription,
  IntervalSpec as TemporalIntervalSpec,
  IntervalSpecDescription as TemporalIntervalSpecDescription,
  ScheduleSpec as TemporalScheduleSpec,
  ScheduleSpecDescription as TemporalScheduleSpecDescription,
} from '@temporalio/client';

/** How `spec.cron` treats clock changes; see `docs/time.md`. */
export type DstPolicy = 'ONCE' | 'LITERAL';

/** An interval as in Temporal, aligned to the Unix epoch or to `anchor`. */
export interface IntervalSpec extends TemporalIntervalSpec {
  /**
   * The instant from which the interval counts, instead of the Unix epoch. The interval also has occurrences before
   * this instant.
   *
   * @default the Unix epoch
   */
  anchor?: Date;
}

/**
 * The times at which a schedule fires: the union of its parts, without what `skip`, `skipDays`, `onlyDays`, `startAt`
 * and `endAt` leave out.
 *
 * `cronExpressions`, `calendars`, `intervals` and `skip` mean exactly what they mean in Temporal; `cron` and `at` are
 * Escapement's own.
 *
 * @see https://typescript.temporal.io/api/interfaces/client.ScheduleSpec
 */
export interface ScheduleSpec extends Omit<TemporalScheduleSpec, 'intervals'> {
  /** Fixed periods, at least one second each. */
  intervals?: IntervalSpec[];
  /**
   * A cron expression or a list of them: 5 fields; 6 with leading seconds; 7 with trailing year; or a macro such as
   * `@daily`. If both day fields are restricted, a day matches if either of them does (POSIX).
   */
  cron?: string | string[];
  /**
   * How `cron` treats clock changes. `'ONCE'` fires a fixed local time exactly once on a day with a clock change.
   * `'LITERAL'` skips a local time that is missing and fires a repeated one twice.
   *
   * @default 'ONCE'
   */
  dst?: DstPolicy;
  /** Single instants, in whole seconds. */
  at?: Date | Date[];
  /**
   * Days without occurrences: names of calendars of days, as in `client.calendars`, and dates such as `2026-12-31`. An
   * occurrence belongs to the day of its nominal time in the spec's zone.
   *
   * @see `docs/calendars.md`
   */
  skipDays?: string[];
  /** The only days that have occurrences, named as in `skipDays`; `skipDays` still applies. @default every day */
  onlyDays?: string[];
  /**
   * The days of each calendar that the spec names, by the calendar's name: dates separated by spaces. The client fills
   * this field in from the ledger, and a change of a calendar updates it; a value in a definition is ignored. Pure
   * functions such as `nextOccurrences` read the days from this field.
   */
  calendarDays?: Record<string, string>;
}

/** An interval in the form of `describe`, in milliseconds. */
export interface IntervalSpecDescription extends TemporalIntervalSpecDescription {
  /** Instant from which the interval counts; if absent, the Unix epoch. */
  anchor?: Date;
}

/**
 * The times at which a schedule fires, in the form that Temporal's own `describe` returns. In this form calendars have
 * every field as ranges, intervals and jitter are in milliseconds, and `cronExpressions` are converted to calendars and
 * intervals. `create` and `update` accept this form too.
 *
 * @see https://typescript.temporal.io/api/namespaces/client#schedulespecdescription
 */
export interface ScheduleSpecDescription
  extends Omit<TemporalScheduleSpecDescription, 'intervals'>,
    Pick<ScheduleSpec, 'cron' | 'dst' | 'at' | 'skipDays' | 'onlyDays' | 'calendarDays'> {
  /** Fixed periods. */
  intervals?: IntervalSpecDescription[];
}

export type { CalendarSpec, CalendarSpecDescription };
