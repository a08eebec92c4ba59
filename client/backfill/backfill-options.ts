import type { BackfillRange } from '../../core/schedule/options';

/** A range of time to backfill, and how. */
export interface BackfillOptions extends BackfillRange {
  /** Write nothing, and return what would be done. @default false */
  dryRun?: boolean;
  /**
   * Allow months whose firings were retired, and gaps with the reason `native`. Occurrences that have already fired there
   * may fire again. @default false: throws `RetiredMonthError`, or leaves out what is in such gaps
   */
  refire?: boolean;
  /** Fire even if a freeze holds the schedule. @default false: throws `ScheduleFrozenError`, except for a dry run */
  duringFreeze?: boolean;
  /** Called and awaited after each batch of at most 1,000 occurrences, with the counts so far. @default no callback */
  progress?: (done: BackfillResult) => void | Promise<void>;
}

/** What a backfill did, or what a dry run would do. */
export interface BackfillResult {
  /** How many occurrences the ranges have. */
  occurrences: number;
  /** How many occurrences got a firing. */
  filled: number;
  /**
   * How many of the `filled` firings the overlap policy would skip right now, since another firing is running or
   * waiting. In progress reports this number is 0. {@link ScheduleHandle.runAgain} can run skipped firings later.
   */
  skipping: number;
  /** How many occurrences already had a firing, including excluded and skipped ones. */
  alreadyFired: number;
  /** How many occurrences were left out, since a trigger will still answer them. */
  leftToTrigger: number;
  /**
   * How many occurrences got no firing, since they were left to Temporal's own schedule; undefined if there are none.
   */
  leftToNative?: number;
  /** The earliest occurrence that got a firing. */
  first?: Date;
  /** The latest occurrence that got a firing. */
  last?: Date;
}
