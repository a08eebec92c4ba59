import type { Duration } from '@temporalio/common';
import type { ScheduleAlerts } from '../alert-rules';

/** Temporal's six overlap policies, by its names. */
export const OVERLAP_POLICIES = [
  'SKIP',
  'BUFFER_ONE',
  'BUFFER_ALL',
  'CANCEL_OTHER',
  'TERMINATE_OTHER',
  'ALLOW_ALL',
] as const;
/** What to do with an occurrence that is due while an earlier firing is open: Temporal's six policies, by name. */
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** How a schedule behaves when it is late, overlapping or uncertain. Every default is in {@link DEFAULTS}. */
export interface SchedulePolicies {
  /**
   * What to do with an occurrence that is due while an earlier firing is still open.
   *
   * @default 'SKIP'
   */
  overlap?: OverlapPolicy | undefined;
  /**
   * How late a missed occurrence may still fire; later ones become a gap. At least 10 seconds.
   *
   * @default '1 year', as in Temporal
   * @format number of milliseconds or ms-formatted string
   */
  catchupWindow?: Duration;
  /**
   * Maximum number of occurrences that fire after downtime: the most recent N, oldest first. `0` catches up none,
   * `Number.POSITIVE_INFINITY` all. An occurrence that is at most 10 seconds late is on time: it always fires, and
   * counts as one of the N.
   *
   * @default 100
   */
  catchupLimit?: number;
  /** Pause the schedule when a firing's workflow fails or times out, after its own retries. @default false */
  pauseOnFailure?: boolean;
  /**
   * What to do with a start that was attempted so long ago that Temporal can no longer deduplicate it. `'SKIP'` starts
   * it at most once, `'START'` at least once.
   *
   * @default 'SKIP'
   */
  onUncertain?: 'SKIP' | 'START';
  /**
   * Whether a firing may be handed to Temporal ahead of its time, with a start delay, if too many are due at once to
   * start all on time. The workflow never begins early, and a handed-over firing cannot be taken back. A duration, of
   * 10 minutes at most, limits how far ahead.
   *
   * @default true: at most ten seconds ahead, or the trigger's `preStartCap`
   */
  preStart?: boolean | Duration;
  /** Maximum number of open firings, in addition to `overlap`. @default undefined: no limit */
  maxConcurrent?: number;
  /**
   * Whether a firing counts as running while one of its steps is parked. With `false`, the schedule continues without
   * regard to that firing, and a redriven step may run in parallel with a later firing.
   *
   * @default true: its workflow runs, and may continue at any moment
   */
  parkedHolds?: boolean;
  /**
   * How long a step may be parked. After that it fails as it would without parking, and its dead letter stays open. At
   * least one minute; checked each minute.
   *
   * @default undefined: until somebody decides
   * @format number of milliseconds or ms-formatted string
   */
  parkedAtMost?: Duration;
  /** When to open alerts of this schedule. @default the ledger's setting of each field */
  alerts?: ScheduleAlerts;
}
