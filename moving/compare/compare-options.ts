import type { MoveOptions } from '../move-options';

/** Which imported schedules are compared, and over which period. Only those in shadow mode have times here. */
export interface CompareOptions extends Pick<MoveOptions, 'from' | 'scheduleIds' | 'query' | 'all'> {
  /** The first nominal time that is compared. @default the time of the import */
  start?: Date;
  /**
   * The last nominal time that is compared. @default 30 seconds ago, since Temporal's visibility may be some seconds
   * late
   */
  end?: Date;
}

/**
 * How the two sides treated one occurrence. `same`: Temporal's schedule started it, and Escapement would have claimed
 * it. `overlap`: Temporal's schedule did not start it and had a run open at its time, and the overlap policy is not
 * `ALLOW_ALL`. `only_native`: only Temporal's schedule started it. `only_here`: only Escapement would have claimed it.
 * `unknown`: as `only_here`, but the occurrence is older than the namespace's retention.
 */
export type Verdict = 'same' | 'overlap' | 'only_native' | 'only_here' | 'unknown';

/** The comparison of one occurrence of a schedule in shadow mode. */
export interface ComparedOccurrence {
  /** ID of the schedule. */
  scheduleId: string;
  /** Nominal time of the occurrence. */
  scheduledTime: Date;
  /** How the two sides treated the occurrence. */
  verdict: Verdict;
  /** ID of the workflow that Temporal's schedule started. */
  workflowId?: string;
  /** When Temporal's schedule started the workflow. */
  nativeAt?: Date;
  /** Milliseconds from the nominal time to the start by Temporal's schedule. */
  nativeLag?: number;
  /** When the occurrence would have been claimed here. */
  hereAt?: Date;
  /** Milliseconds from the nominal time to the claim here. */
  hereLag?: number;
}
