import type { OverlapPolicy } from '../../core/schedule';

/** How an occurrence is run again. */
export interface RunAgainOptions {
  /** What it does while another firing runs. @default the schedule's policy: under SKIP it may be skipped again */
  overlap?: OverlapPolicy;
  /** Run again also what may have done its work: what completed, or nobody knows the end or the start of. @default false */
  confirm?: boolean;
  /** Fire although a freeze holds the schedule. @default false: `ScheduleFrozenError` */
  duringFreeze?: boolean;
  /** Why, for the firing. 4,000 characters at most. @default none */
  note?: string;
}
