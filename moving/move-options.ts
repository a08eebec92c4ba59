import type { Client } from '@temporalio/client';

/** Which schedules to move, and when. Exactly one of `scheduleIds`, `query` and `all` must be given. */
export interface MoveOptions {
  /** A client of the Temporal server with the native schedules. */
  from: Client;
  /** Only these schedules. @default the schedules of `query` or `all` */
  scheduleIds?: string[];
  /** Imported schedules that match this list query of Temporal. @default the schedules of `scheduleIds` or `all` */
  query?: string;
  /** All imported schedules. @default false */
  all?: boolean;
  /**
   * The earliest moment of the move. The side that stops has ten seconds more for the nominal times before this instant;
   * the ledger runs the rest. The side that stops may also start later ones. At most sixteen schedules wait for the
   * instant at a time; the others are moved after them.
   * @default as soon as possible
   */
  at?: Date;
  /** Called after each schedule. @default no callback */
  progress?: (progress: { done: number; total: number }) => unknown;
}

/** The {@link MoveOptions}, and what happens to starts that the Temporal schedule has buffered. */
export interface CutOverOptions extends MoveOptions {
  /**
   * Whether to run buffered starts of the Temporal schedule here, each for its own nominal time, since the pause drops
   * them in Temporal. Starts older than the namespace's retention may have run, and are only listed.
   * @default false: all of these starts are only listed
   */
  takeBuffer?: boolean;
}

/** The result for one schedule. */
export interface MovedSchedule {
  /** ID of the schedule. */
  scheduleId: string;
  /** `moved` now, `unchanged` if it was on that side already, `refused` if it cannot be moved. */
  status: 'moved' | 'unchanged' | 'refused';
  /** Why the move of the schedule was refused. */
  reason?: string;
  /**
   * The first nominal time of the side that continues; undefined if there is none, if the schedule is paused, or if the
   * schedule was not moved now.
   */
  from?: Date;
  /**
   * Whether the schedule stays paused on both sides, because a person had paused it. If it is `unchanged`, this is as of
   * its import or its last move.
   */
  paused: boolean;
  /** Running workflows that the stopping side has started. */
  running: string[];
  /**
   * Nominal times that the Temporal schedule may have buffered. The ledger does not run them, and Temporal drops them
   * once its current run ends.
   */
  buffered: Date[];
  /**
   * Nominal times that are backfilled here: buffered ones, or those that neither side had handled. Of the latter,
   * overlap decides which run.
   */
  taken: Date[];
  /**
   * For a cut-over: which buffered times may have run. For a roll back: what is not carried back (changes, the end of a
   * pause, excluded times and freezes ahead), times that a freeze held back, and workflows beyond the limit of actions.
   */
  notes: string[];
}

/** Result of a cut-over or a roll back. */
export interface MoveResult {
  /** The schedules, in the order in which they were processed. */
  schedules: MovedSchedule[];
  /** Whether the move of no schedule was refused. */
  complete: boolean;
}
