import type { BackfillRange } from '../../core/schedule';

/** A stretch of time to backfill, and how. */
export interface BackfillOptions extends BackfillRange {
  /** Write nothing, and say what would be done. @default false */
  dryRun?: boolean;
  /** Allow months whose record of firings was retired: what fired in them fires again. @default false */
  refire?: boolean;
  /** Fire although a freeze holds the schedule. @default false: `ScheduleFrozenError` */
  duringFreeze?: boolean;
  /** Called, and waited for, after each batch of at most 1,000 occurrences with what was done so far. @default nothing */
  progress?: (done: BackfillResult) => void | Promise<void>;
}

/** What a backfill did, or would do. */
export interface BackfillResult {
  /** Occurrences of the spec in the ranges. */
  occurrences: number;
  /** Holes that were filled with a firing. */
  filled: number;
  /**
   * How many of these overlap will skip as things stand, since another firing runs or waits; 0 until all batches are done.
   * {@link ScheduleHandle.runAgain} can run them later.
   */
  skipping: number;
  /** Occurrences that have a firing already, excluded and skipped ones too. */
  alreadyFired: number;
  /** Occurrences that no trigger has answered yet, and that one will. */
  leftToTrigger: number;
  /** The first that was filled. */
  first?: Date;
  /** The last that was filled. */
  last?: Date;
}
