/** What became of a due time, the best first. */
export const AUDIT_CLASSES = ['on_time', 'late', 'delayed', 'skipped', 'pending', 'unknown', 'missed'] as const;
export type AuditClass = (typeof AUDIT_CLASSES)[number];

/** Each class for a person. */
export const CLASS_WORDS: Record<AuditClass, string> = {
  on_time: 'on time',
  late: 'late',
  delayed: 'delayed by overlap',
  skipped: 'skipped by overlap',
  pending: 'pending',
  unknown: 'cannot be told',
  missed: 'missed',
};

/** A time that a schedule names. Instants are epoch milliseconds. */
export interface DueTime {
  /** As the spec names it. */
  nominal: number;
  /** When it is to start: the server's own jitter added, or where that is not known the most there may be. */
  due: number;
}

/** What visibility knows of the runs that a schedule started for one nominal time. */
export interface StartedTime {
  nominal: number;
  workflowId: string;
  /** Start of the first run. */
  start: number;
  /** End of the last run; infinity while one runs. */
  end: number;
}

/** What became of one due time. */
export interface AuditedTime extends DueTime {
  class: AuditClass;
  /** The workflow of this time, where there is one. */
  workflowId?: string;
  start?: number;
  /** In a sentence, of all but what is on time. */
  reason?: string;
}

/** How many of each class. */
export type AuditCounts = Record<AuditClass, number>;

export function noCounts(): AuditCounts {
  return Object.fromEntries(AUDIT_CLASSES.map((one) => [one, 0])) as AuditCounts;
}
