/** How a list of schedules that is declared in code is applied. */
export interface ApplyOptions {
  /** Name of what declares the list, such as the service that deploys: it owns the schedules that it declares. */
  source: string;
  /**
   * Grows from deploy to deploy, such as the build's number. A lower one than was applied before writes nothing. The same one
   * again brings what differs to the list that is given: two different lists need two revisions.
   */
  revision: number;
  /**
   * What a revision lower than one that began does: `throw` a {@link StaleRevisionError}, or `ignore` it and return with
   * the status `stale`. @default 'throw'
   */
  onStale?: 'throw' | 'ignore';
  /** Delete what the same source declared before and does not any more. @default false */
  prune?: boolean;
  /**
   * With `prune`: how many may be deleted. @default 3, or a quarter of what the source had declared where that is more; none
   * by an empty list
   */
  pruneAtMost?: number;
  /** Take over live schedules of the list that a person or another source registered. @default false: they are refused */
  takeOver?: boolean;
  /** Write nothing, and say what would be done. @default false */
  dryRun?: boolean;
  /** Called, and waited for, before the first batch is written and after each. @default nobody is told */
  progress?: (done: ApplyProgress) => void | Promise<void>;
}

/** How far an apply has come. */
export interface ApplyProgress {
  /** Schedules that were created, updated or pruned so far. */
  written: number;
  /** Those that are to be. */
  total: number;
  /** IDs of those that are to be deleted. */
  pruning: string[];
}

/** A schedule that was not as declared. */
export interface AppliedUpdate {
  /** Its name. */
  scheduleId: string;
  /** Paths of what differed, such as `spec.cron` or `action.args`; `source` for one that was taken over. */
  changed: string[];
}

/** What an apply did; with `dryRun`, what it would do. */
export interface ApplyResult {
  /** What declared the list. */
  source: string;
  /** The one that was asked for. */
  revision: number;
  /**
   * `stale` when a higher revision was applied before, or began meanwhile: this one wrote nothing, or nothing more than
   * the lists say. `planned` for a dry run.
   */
  status: 'applied' | 'planned' | 'stale';
  /** The highest revision of the source that was begun so far, this one included; undefined for a first dry run. */
  currentRevision: number | undefined;
  /** New ones, and deleted ones that came back to life. */
  created: string[];
  /** Those that were not as declared. */
  updated: AppliedUpdate[];
  /** IDs of those that were as declared. */
  unchanged: string[];
  /** Deleted, since the source declares them no more. */
  pruned: string[];
  /** Of those that were created or updated, those whose times have all passed: they never fire from now on. */
  ended: string[];
}
