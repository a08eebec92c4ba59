/** How to apply a list of schedules that is declared in code. */
export interface ApplyOptions {
  /**
   * Name of the program that declares the list, such as the service that is deployed. This source owns the schedules
   * that it declares.
   */
  source: string;
  /**
   * A number that grows with each deploy, such as the build number. An apply of a revision lower than the source's
   * current one writes nothing. Applying the same revision again updates whatever differs from the given list, so two
   * different lists need two revisions.
   */
  revision: number;
  /**
   * What to do if another revision, usually a higher one, has begun: `throw` a {@link StaleRevisionError}, or `ignore`
   * that and return with the status `stale`. @default 'throw'
   */
  onStale?: 'throw' | 'ignore';
  /** Delete schedules that this source declared before and no longer declares. @default false */
  prune?: boolean;
  /**
   * With `prune`: the maximum number of schedules to delete. @default 3, or a quarter of the source's live schedules if
   * that is more; 0 for an empty list
   */
  pruneAtMost?: number;
  /**
   * Take over live schedules of the list that a person or another source owns. @default false: such schedules are
   * refused
   */
  takeOver?: boolean;
  /** Write nothing, and return what would be done. @default false */
  dryRun?: boolean;
  /** Called before the first batch is written and after each batch; `apply` awaits it. @default no callback */
  progress?: (done: ApplyProgress) => void | Promise<void>;
}

/** Progress of an apply. If others change schedules meanwhile, the rest is planned again, and the counts restart. */
export interface ApplyProgress {
  /** How many schedules have been created, updated or pruned so far. */
  written: number;
  /** How many schedules are to be created, updated or pruned. */
  total: number;
  /** IDs of the schedules that are to be deleted. */
  pruning: string[];
}

/** A schedule that differed from its declaration. */
export interface AppliedUpdate {
  /** ID of the schedule. */
  scheduleId: string;
  /**
   * Paths of the fields that differed, such as `spec.cron` or `action.args`; `source` if the schedule was taken over.
   */
  changed: string[];
}

/** What an apply did; with `dryRun`, what it would do. */
export interface ApplyResult {
  /** Name of the source that declared the list. */
  source: string;
  /** The revision that was asked for. */
  revision: number;
  /**
   * `stale` if another revision, usually a higher one, began before or meanwhile. A stale apply wrote only what
   * `created`, `updated` and `pruned` name, usually nothing. A dry run that is not stale is `planned`.
   */
  status: 'applied' | 'planned' | 'stale';
  /**
   * The source's revision in the ledger, which may be the given one; undefined for a dry run of a source that has
   * applied nothing.
   */
  currentRevision: number | undefined;
  /** IDs of new schedules, and of deleted ones that were created again. */
  created: string[];
  /** Schedules that differed from their declaration. */
  updated: AppliedUpdate[];
  /** IDs of schedules that already were as declared. */
  unchanged: string[];
  /**
   * IDs of schedules that were deleted because the source no longer declares them. Those that somebody else deleted or
   * took over meanwhile are named too.
   */
  pruned: string[];
  /** IDs of created or updated schedules whose times have all passed. They do not fire by themselves. */
  ended: string[];
}
