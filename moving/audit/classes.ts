/** The possible results for a due time, best first. */
export const AUDIT_CLASSES = ['on_time', 'late', 'delayed', 'skipped', 'pending', 'unknown', 'missed'] as const;
export type AuditClass = (typeof AUDIT_CLASSES)[number];

export const CLASS_WORDS: Record<AuditClass, string> = {
  on_time: 'on time',
  late: 'late',
  delayed: 'delayed by overlap',
  skipped: 'skipped by overlap',
  pending: 'pending',
  unknown: 'cannot be told',
  missed: 'missed',
};

/** A due time of a schedule. Instants are epoch milliseconds. */
export interface DueTime {
  nominal: number;
  /** When the workflow should start, with the server's own jitter; if that is unknown, with the maximum jitter. */
  due: number;
}

/** The data that visibility has about the runs of one nominal time. */
export interface StartedTime {
  nominal: number;
  workflowId: string;
  /** The start of the first run. */
  start: number;
  /** The true start, if the run counts as open before it. */
  startedLate?: number;
  /** The end of the last run; infinity while one is running. */
  end: number;
}

export interface AuditedTime extends DueTime {
  class: AuditClass;
  workflowId?: string;
  start?: number;
  /** An explanation; absent for a start on time. */
  reason?: string;
}

export type AuditCounts = Record<AuditClass, number>;

export function noCounts(): AuditCounts {
  return Object.fromEntries(AUDIT_CLASSES.map((one) => [one, 0])) as AuditCounts;
}
