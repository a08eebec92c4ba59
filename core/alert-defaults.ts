import type { AlertRules } from './alert-rules';

const SCHEDULE_CONDITIONS = [
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

export type ScheduleCondition = (typeof SCHEDULE_CONDITIONS)[number];

/** All alert conditions. Alerts that open together are sent in this order. */
export const ALERT_CONDITIONS = [
  'ledger_unavailable',
  'no_trigger',
  ...(['lock_held', 'partition_missing', 'namespace_unreachable', 'namespace_held', 'credentials'] as const),
  ...(['cap_full', 'clock_off'] as const),
  ...SCHEDULE_CONDITIONS,
  'retention_held',
] as const;

/** The conditions that open an alert. */
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export const CRITICAL_CONDITIONS: readonly AlertCondition[] = [
  ...(['ledger_unavailable', 'no_trigger', 'lock_held', 'partition_missing', 'namespace_unreachable'] as const),
  ...([
    'namespace_held',
    'credentials',
    'late',
    'not_done',
    'missed',
    'stalled',
    'overdue',
    'schedule_set_aside',
  ] as const),
];

export function severityOf(condition: AlertCondition): 'critical' | 'warning' {
  return CRITICAL_CONDITIONS.includes(condition) ? 'critical' : 'warning';
}

/** The default of each alert rule, which holds if neither the schedule nor the ledger sets the rule. */
export const ALERT_RULES = {
  late: 30_000,
  notDone: false,
  /** The limit is computed from the schedule's usual duration: see {@link ALERT_DEFAULTS}. */
  runningLong: 'usual',
  failing: 3,
  skipped: 3,
  startedOften: 10,
  parked: 86_400_000,
  resolvedAfter: 1,
} as const satisfies RulesInForce;

export interface RulesInForce extends Required<Omit<AlertRules, 'runningLong'>> {
  runningLong: number | false | 'usual';
}

/** The limits and intervals of alerts. Times are in milliseconds. */
export const ALERT_DEFAULTS = {
  /** An unanswered occurrence is overdue this long after its time, and after its timer's wake time if it has one. */
  overdueMilliseconds: 60_000,
  /**
   * Without the rule `runningLong`, a workflow runs too long once it has run for this many times the longest duration
   * of its schedule's latest completed workflows.
   */
  usualTimes: 3,
  /** How many of a schedule's latest completed workflows are compared to find the longest duration. */
  usualOf: 10,
  /**
   * Without the rule `runningLong`, no workflow runs too long before this many of its schedule's workflows have
   * completed.
   */
  usualFrom: 5,
  /** Without the rule `runningLong`, no workflow runs too long before it has run for this time. */
  runningLongFromMilliseconds: 60_000,
  /**
   * Alert if a namespace has not answered, or has refused every call, for this long. Firings of this namespace then get
   * no `late` alerts.
   */
  unreachableMilliseconds: 30_000,
  /** Alert if a problem of Postgres, a host or a held namespace, which a trigger reports, has lasted this long. */
  problemMilliseconds: 10_000,
  /**
   * If Postgres has accepted no heartbeat of a trigger for this long, the trigger sends `ledger_unavailable` without
   * the ledger.
   */
  ledgerAwayMilliseconds: 30_000,
  /** Alert if the clock of a trigger's host differs from that of Postgres by more than this. */
  clockOffMilliseconds: 2_000,
  /** Alert if an open firing or unsettled letter keeps a month of firings this long after the end of its retention. */
  retentionHeldMilliseconds: 86_400_000,
  startedOftenWithinMilliseconds: 3_600_000,
  /** Alert if a cap on starts has delayed firings for this long; firings under this cap then get no `late` alerts. */
  capFullMilliseconds: 60_000,
  /**
   * Alert if no trigger has checked the alert rules for this long. The alert pass that opens the alert `no_trigger`
   * opens no `late` alert, and none for an overdue occurrence.
   */
  unseenMilliseconds: 60_000,
  /** A server sends `no_trigger` once no trigger has been alive for this long. */
  noneAliveMilliseconds: 30_000,
  /** Reminders of an open alert that nobody has acknowledged are this far apart. */
  reminderMilliseconds: 14_400_000,
  /**
   * How long messages are kept after they were written, and silences after their end, for reading after an incident.
   */
  messagesKeptMilliseconds: 2_592_000_000,
  /** If more alerts of one condition than this open together, one summary alert is sent for all of them. */
  toldAlone: 20,
  /** If an alert has opened more often than this within an hour, it is not resolved at once. */
  openingsAnHour: 3,
  /** An alert that opened more often than `openingsAnHour` is resolved once its problem has been gone for this long. */
  steadyMilliseconds: 600_000,
} as const;
