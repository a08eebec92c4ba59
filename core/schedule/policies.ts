import type { Duration } from '@temporalio/common';
import type { ScheduleAlerts } from '../alert-rules';

/** The names of Temporal's six overlap policies. */
export const OVERLAP_POLICIES = [
  'SKIP',
  'BUFFER_ONE',
  'BUFFER_ALL',
  'CANCEL_OTHER',
  'TERMINATE_OTHER',
  'ALLOW_ALL',
] as const;
/**
 * What happens to an occurrence that is due while an earlier firing is open: one of Temporal's six policies, by name.
 */
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** The rules of a schedule for overlapping, missed and uncertain firings. The defaults are in {@link DEFAULTS}. */
export interface SchedulePolicies {
  /**
   * What happens to an occurrence that is due while an earlier firing is still open.
   *
   * @default 'SKIP'
   */
  overlap?: OverlapPolicy | undefined;
  /**
   * How late a firing may start. The time for which it is buffered does not count, nor the time of a freeze whose
   * `catchUp` is `LAST` or `ALL`. After the window, an unclaimed occurrence becomes a gap, and a claimed firing that
   * was not started is abandoned. Firings that a person requested have no limit. The window is at least 10 seconds.
   *
   * @default '1 year', which is 365.25 days; Temporal has 365
   * @format number of milliseconds or ms-formatted string
   */
  catchupWindow?: Duration;
  /**
   * The maximum number of missed occurrences that fire after downtime: the most recent N, oldest first. With `0` none
   * fires; `Number.POSITIVE_INFINITY` means no limit. An occurrence that is at most 10 seconds late is on time.
   * The limit does not hold for occurrences on time, but they count among the N.
   *
   * @default 100
   */
  catchupLimit?: number;
  /**
   * Whether the schedule is paused when a firing's workflow fails or times out, after the workflow's own retries.
   * @default false
   */
  pauseOnFailure?: boolean;
  /**
   * What happens to a start that was attempted so long ago that Temporal may no longer deduplicate it. `'SKIP'` does
   * not call start again; `'START'` does, and may start a second workflow.
   *
   * @default 'SKIP'
   */
  onUncertain?: 'SKIP' | 'START';
  /**
   * Whether a firing may be handed to Temporal ahead of its time, with a start delay, if so many are due at once that
   * their starts would take more than a second. The start delay ends at the firing's time, and a handed-over firing
   * cannot be taken back. A duration, of 10 minutes at most, is the longest time that a firing may be handed over
   * ahead. A trigger whose `preStartCap` is 0 claims nothing ahead.
   *
   * @default true: at most ten seconds ahead, or the trigger's `preStartCap`
   */
  preStart?: boolean | Duration;
  /**
   * How many firings may be open before `overlap` applies, up to 2,147,483,647.
   *
   * @default undefined: one, or no limit with ALLOW_ALL
   */
  maxConcurrent?: number;
  /**
   * Whether a firing counts as running while one of its steps is parked. With `false`, the schedule continues as if
   * that firing had ended, and its redriven step may run in parallel with a later firing.
   *
   * @default true: its workflow still runs, and may continue at any moment
   */
  parkedHolds?: boolean;
  /**
   * How long a step may be parked. After that time the step fails as it would without parking, and its dead letter
   * stays open. The time is at least one minute, since triggers check it each minute.
   *
   * @default undefined: until a person decides
   * @format number of milliseconds or ms-formatted string
   */
  parkedAtMost?: Duration;
  /** The rules for alerts about this schedule. @default the ledger's rule for each field */
  alerts?: ScheduleAlerts;
}
