import type { Client } from '@temporalio/client';

/** Which schedules to move, and when. Give `scheduleIds`, `query` or `all`. */
export interface MoveOptions {
  /** A client of the Temporal server with the native schedules. */
  from: Client;
  /** Only these schedules. @default as in `query` or `all` */
  scheduleIds?: string[];
  /** Imported schedules that match this list query of Temporal. @default as in the other two */
  query?: string;
  /** All imported schedules. @default false */
  all?: boolean;
  /**
   * The side that stops starts the nominal times before this instant, and the other side starts the rest. @default as
   * soon as possible
   */
  at?: Date;
  /** Called after each schedule. @default no callback */
  progress?: (progress: { done: number; total: number }) => unknown;
}

/** {@link MoveOptions}, and what to do with starts that native has buffered. */
export interface CutOverOptions extends MoveOptions {
  /**
   * Run buffered starts of the native schedule here, for their own times, since the pause drops them there. @default
   * false: they are only listed
   */
  takeBuffer?: boolean;
}

/** The result for one schedule. */
export interface MovedSchedule {
  /** Its name. */
  scheduleId: string;
  /** `moved` now, `unchanged` if it had been moved before, `refused` if it cannot be moved. */
  status: 'moved' | 'unchanged' | 'refused';
  /** Why it was refused. */
  reason?: string;
  /** The first nominal time of the side that continues; undefined if there is none, or if it is paused. */
  from?: Date;
  /** Whether the schedule is paused on both sides, because a person had paused it. */
  paused: boolean;
  /** Running workflows that the stopping side has started. */
  running: string[];
  /** Nominal times that native had buffered. They are dropped there, and not run here. */
  buffered: Date[];
  /** Nominal times that run here for their own time: buffered ones, and those that neither side had handled. */
  taken: Date[];
  /** For a roll back: what was not carried back, or exceeds the limit of actions. */
  notes: string[];
}

/** Result of a cut-over or a roll back. */
export interface MoveResult {
  /** In the order of processing. */
  schedules: MovedSchedule[];
  /** Whether none was refused. */
  complete: boolean;
}
