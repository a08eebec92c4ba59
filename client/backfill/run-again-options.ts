import type { OverlapPolicy } from '../../core/schedule/policies';

/** How to run an occurrence again. */
export interface RunAgainOptions {
  /**
   * The overlap policy if another firing is running. @default the schedule's policy; with SKIP the occurrence may be
   * skipped again
   */
  overlap?: OverlapPolicy;
  /**
   * Also run an occurrence that may already have done its work: its firing completed, its start or end is unknown, or
   * Temporal's own schedule may have run it. @default false
   */
  confirm?: boolean;
  /** Fire even if a freeze holds the schedule. @default false: throws `ScheduleFrozenError` */
  duringFreeze?: boolean;
  /** A note for the firing: why it is run again. At most 4,000 characters. @default none */
  note?: string;
}
