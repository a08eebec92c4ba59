import type { AlertRules } from './alert-rules';

/** What can be wrong with a schedule. */
export const SCHEDULE_CONDITIONS = [
  'late',
  'not_done',
  'running_long',
  'missed',
  'failing',
  'skipped',
  'started_often',
  'stalled',
  'dead_letter',
  'parked',
  'recovered',
  'overdue',
  'schedule_set_aside',
] as const;

/** One of {@link SCHEDULE_CONDITIONS}. */
export type ScheduleCondition = (typeof SCHEDULE_CONDITIONS)[number];

/** What an alert is about: a schedule, or what many of them need. Alerts that open together are told in this order. */
export const ALERT_CONDITIONS = [
  'ledger_unavailable',
  'no_trigger',
  ...(['lock_held', 'partition_missing', 'namespace_unreachable', 'credentials', 'cap_full', 'clock_off'] as const),
  ...SCHEDULE_CONDITIONS,
  'retention_held',
] as const;

/** One of {@link ALERT_CONDITIONS}. */
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** When alerts of a schedule open that says nothing else; as {@link AlertRules}. */
export const ALERT_RULES = {
  late: 30_000,
  notDone: false,
  /** By how long its workflows take as a rule: see {@link ALERT_DEFAULTS}. */
  runningLong: 'usual',
  failing: 3,
  skipped: 3,
  startedOften: 10,
  parked: 86_400_000,
  resolvedAfter: 1,
} as const satisfies RulesInForce;

/** Rules of which each has a value, in milliseconds or firings, or never opens an alert. */
export interface RulesInForce extends Required<Omit<AlertRules, 'runningLong'>> {
  runningLong: number | false | 'usual';
}

/** When alerts open, and how they are told. Times are milliseconds. */
export const ALERT_DEFAULTS = {
  /** An occurrence without an answer so long after its time is overdue: what is claimed and not started is late before. */
  overdueMilliseconds: 60_000,
  /** Without a rule of its own a workflow runs long that takes so many times as long as the longest... */
  usualTimes: 3,
  /** ...of so many that completed last... */
  usualOf: 10,
  /** ...of which there must be so many. */
  usualFrom: 5,
  /** None is told to run long before. */
  runningLongFromMilliseconds: 60_000,
  /** A namespace that has not answered for so long is told, and what is late there is not. */
  unreachableMilliseconds: 30_000,
  /** What a trigger says of Postgres or of its host is told once it has said so for so long. */
  problemMilliseconds: 10_000,
  /** Where Postgres has taken no write for so long, that is told from memory. */
  ledgerAwayMilliseconds: 30_000,
  /** A host's clock that is further from that of Postgres makes the times of its log misleading. */
  clockOffMilliseconds: 2_000,
  /** A month of firings that is kept for so long past the retention is told. */
  retentionHeldMilliseconds: 86_400_000,
  /** Starts that no spec asked for are counted within so long. */
  startedOftenWithinMilliseconds: 3_600_000,
  /** A cap on starts that has held some back for so long is told, and what is late behind it is not. */
  capFullMilliseconds: 60_000,
  /** Where no trigger has polled for so long, that is told; what is late or overdue only where it still is at the next pass. */
  unseenMilliseconds: 60_000,
  /** An open alert that nobody has acknowledged is told again each time that so long has gone by. */
  reminderMilliseconds: 14_400_000,
  /** Messages and silences are kept for so long, to be read after an incident; alerts that are over as long as firings. */
  messagesKeptMilliseconds: 2_592_000_000,
  /** More than so many of one condition that open together are told as one. */
  toldAlone: 20,
  /** What opened more often than this within an hour... */
  openingsAnHour: 3,
  /** ...resolves only after it was good for so long. */
  steadyMilliseconds: 600_000,
} as const;
