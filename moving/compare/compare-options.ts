import type { MoveOptions } from '../move-options';

/** Which schedules in shadow are compared, and over which stretch of time. */
export interface CompareOptions extends Pick<MoveOptions, 'from' | 'scheduleIds' | 'query' | 'all'> {
  /** From this nominal time on. @default when the schedule was imported */
  start?: Date;
  /** Up to this nominal time. @default 30 seconds ago: Temporal's visibility may be some seconds late */
  end?: Date;
}

/**
 * What both did of one occurrence. `same`: native started it, and it would have been claimed here. `overlap`: native left it out while
 * an earlier run was open, as the same policy would here. `only_native`, `only_here`: a difference.
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
  /** Milliseconds from the nominal time to that. */
  nativeLag?: number;
  /** When it would have been claimed here. */
  hereAt?: Date;
  /** Milliseconds from the nominal time to that. */
  hereLag?: number;
}
