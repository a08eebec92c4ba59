import type { Client } from '@temporalio/client';

/** Which schedules are imported, from where, and how. */
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
   * Whether to import in shadow mode: the schedules record their occurrences, but start nothing. @default false: they
   * are imported paused
   */
  shadow?: boolean;
  /**
   * Whether to import also schedules whose arguments or memo this client cannot decode. The bytes are copied unchanged
   * in any case, but `describe` cannot show them.
   *
   * @default false: they are refused, and listed
   */
  undecoded?: boolean;
  /** Called after each schedule. @default no callback */
  progress?: (progress: { done: number }) => unknown;
}

/**
 * The result of an import for one schedule. `imported`: for the first time. `updated`: the Temporal schedule or the
 * mode has changed since its import. `unchanged`: neither has changed. `moved`: it was cut over before or is being
 * moved, and is left alone. `left`: it may be imported later. `refused`: usually, a person must change something first.
 * Both `left` and `refused` have a `reason`.
 */
export type ImportStatus = 'imported' | 'updated' | 'unchanged' | 'moved' | 'left' | 'refused';

/** One schedule of an import. */
export interface ImportedSchedule {
  /** ID of the schedule; `*` if a namespace cannot be listed. */
  scheduleId: string;
  /** The Temporal namespace of the schedule. */
  namespace: string;
  /** The result. */
  status: ImportStatus;
  /** Why the schedule was not imported. */
  reason?: string;
  /** Parts that are not imported, or that have another meaning here. */
  notes: string[];
}

/** What an import did or, with `dryRun`, would do. */
export interface ImportResult {
  /** The schedules, in the order in which they were processed. */
  schedules: ImportedSchedule[];
  /** Whether no schedule was left or refused. */
  complete: boolean;
}
