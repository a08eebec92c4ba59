/** What can be wrong with a schedule. */
export const SCHEDULE_CONDITIONS = [
  'late',
  'missed',
  'failing',
  'skipped',
  'stalled',
  'dead_letter',
  'parked',
  'recovered',
  'overdue',
  'schedule_set_aside',
] as const;

/** One of {@link SCHEDULE_CONDITIONS}. */
export type ScheduleCondition = (typeof SCHEDULE_CONDITIONS)[number];

/** What an alert is about: a schedule, or what many of them need. */
export const ALERT_CONDITIONS = [...SCHEDULE_CONDITIONS, 'namespace_unreachable', 'cap_full', 'no_trigger'] as const;

/** One of {@link ALERT_CONDITIONS}. */
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** When alerts open, and how they are told. Times are milliseconds. */
export const ALERT_DEFAULTS = {
  /** A firing that is not started so long after its time is late. */
  lateMilliseconds: 30_000,
  /** An occurrence without an answer so long after its time is overdue: what is claimed and not started is late before. */
  overdueMilliseconds: 60_000,
  /** Firings in a row that failed. */
  failing: 3,
  /** Firings in a row that overlap had skipped. */
  skipped: 3,
  /** A step that has been parked for so long needs a person. */
  parkedMilliseconds: 86_400_000,
  /** A namespace that has not answered for so long is told, and what is late there is not. */
  unreachableMilliseconds: 30_000,
  /** A cap on starts that has held some back for so long is told, and what is late behind it is not. */
  capFullMilliseconds: 60_000,
  /** Where no trigger has polled for so long, that is told; what is late or overdue only where it still is at the next pass. */
  unseenMilliseconds: 60_000,
  /** An open alert that nobody has acknowledged is told again each time that so long has gone by. */
  reminderMilliseconds: 14_400_000,
  /** More than so many of one condition that open together are told as one. */
  toldAlone: 20,
  /** What opened more often than this within an hour... */
  openingsAnHour: 3,
  /** ...resolves only after it was good for so long. */
  steadyMilliseconds: 600_000,
} as const;
