import type { Client } from '@temporalio/client';

/** What is imported from where, and how. */
export interface ImportOptions {
  /** A client of the Temporal server that has the schedules. */
  from: Client;
  /** Namespaces to read. @default the client's own */
  namespaces?: string[];
  /** Only schedules that this list query of Temporal matches, such as `Team = 'billing'`. @default all */
  query?: string;
  /** Write nothing, and say what would be done. @default false */
  dryRun?: boolean;
  /** Let them answer for their occurrences at once, without starting anything. @default false: they are paused here */
  shadow?: boolean;
  /**
   * Take schedules too whose arguments or memo this client cannot decode. They are carried byte for byte either way; its describe
   * cannot show them.
   *
   * @default false: they are left, and named
   */
  undecoded?: boolean;
  /** Called after each schedule. @default none */
  progress?: (progress: { done: number }) => unknown;
}

/**
 * What became of a schedule: `imported`, `updated` after it had changed there, `unchanged` since it was imported, or `moved`, which
 * has been cut over and was left alone. `left` is for another run, and says why; `refused` needs somebody first.
 */
export type ImportStatus = 'imported' | 'updated' | 'unchanged' | 'moved' | 'left' | 'refused';

/** One schedule of an import. */
export interface ImportedSchedule {
  /** Its name; `*` where a namespace cannot be listed. */
  scheduleId: string;
  /** Where it is. */
  namespace: string;
  /** What became of it. */
  status: ImportStatus;
  /** Why it was not imported. */
  reason?: string;
  /** What is not carried over, or means something else here. */
  notes: string[];
}

/** What an import did, or with `dryRun` would do. */
export interface ImportResult {
  /** In the order in which they were done. */
  schedules: ImportedSchedule[];
  /** Whether none was left or refused. */
  complete: boolean;
}
