import type { Client } from '@temporalio/client';

/** What to import, from where, and how. */
export interface ImportOptions {
  /** A client of the Temporal server with the native schedules. */
  from: Client;
  /** Namespaces to read. @default the client's own */
  namespaces?: string[];
  /** Only schedules that this list query of Temporal matches, such as `Team = 'billing'`. @default all */
  query?: string;
  /** Write nothing, and return what would be done. @default false */
  dryRun?: boolean;
  /**
   * Import in shadow: the schedules record their occurrences, but start nothing. @default false: they are imported
   * paused
   */
  shadow?: boolean;
  /**
   * Also import schedules whose arguments or memo this client cannot decode. The bytes are copied unchanged in any
   * case, but `describe` cannot show them.
   *
   * @default false: they are left, and listed
   */
  undecoded?: boolean;
  /** Called after each schedule. @default no callback */
  progress?: (progress: { done: number }) => unknown;
}

/**
 * The result for a schedule. `imported`; `updated` because it had changed there; `unchanged` since its import; or
 * `moved`, which means that it was already cut over and was left alone. `left` can be tried again later, and has a
 * reason; `refused` needs a person first.
 */
export type ImportStatus = 'imported' | 'updated' | 'unchanged' | 'moved' | 'left' | 'refused';

/** One schedule of an import. */
export interface ImportedSchedule {
  /** ID of the schedule; `*` if a namespace cannot be listed. */
  scheduleId: string;
  /** Where it is. */
  namespace: string;
  /** The result. */
  status: ImportStatus;
  /** Why it was not imported. */
  reason?: string;
  /** Parts that are not imported, or that have another meaning here. */
  notes: string[];
}

/** What an import did, or would do with `dryRun`. */
export interface ImportResult {
  /** In the order of processing. */
  schedules: ImportedSchedule[];
  /** Whether no schedule was left or refused. */
  complete: boolean;
}
