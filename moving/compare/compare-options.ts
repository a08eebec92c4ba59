import type { MoveOptions } from '../move-options';

/** Which schedules in shadow to compare, and over which range of time. */
export interface CompareOptions extends Pick<MoveOptions, 'from' | 'scheduleIds' | 'query' | 'all'> {
  /** First nominal time. @default the time of the import */
  start?: Date;
  /** Last nominal time. @default 30 seconds ago, since Temporal's visibility may be some seconds late */
  end?: Date;
}

/**
 * How both sides treated one occurrence. `same`: native started it, and Escapement would have claimed it. `overlap`:
 * native left it out because an earlier run was open, and the same policy would do so here. `only_native`, `only_here`:
 * a difference.
 */
export type Verdict = 'same' | 'overlap' | 'only_native' | 'only_here';

/** One occurrence of a schedule in shadow. */
export interface ComparedOccurrence {
  /** Its schedule. */
  scheduleId: string;
  /** Its nominal time. */
  scheduledTime: Date;
  /** Whether they differ. */
  verdict: Verdict;
  /** The workflow that native started. */
  workflowId?: string;
  /** When native started it. */
  nativeAt?: Date;
  /** Milliseconds from the nominal time to `startedAt`. */
  nativeLag?: number;
  /** When the occurrence would have been claimed here. */
  hereAt?: Date;
  /** Milliseconds from the nominal time to `claimedAt`. */
  hereLag?: number;
}
