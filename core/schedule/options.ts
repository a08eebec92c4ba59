import type { SearchAttributePair, SearchAttributes, TypedSearchAttributes } from '@temporalio/common';
import type { ScheduleOptionsAction } from './action';
import type { OverlapPolicy, SchedulePolicies } from './policies';
import type { ScheduleSpec } from './spec';

/** Labels of a schedule itself, not of the workflows that it starts. */
export interface ScheduleLabels {
  /**
   * Who is responsible for the schedule, such as a team. Every alert of it contains the name, and lists can filter by
   * it. An empty text means none. @default none
   */
  owner?: string | undefined;
  /**
   * Link to the instructions for a failure: an http or https link, which every alert of it contains. An empty text
   * means none. @default none
   */
  runbook?: string | undefined;
  /**
   * ID of the schedule in another system, unique among the live schedules of its tenant. An empty text means none.
   * @default none
   */
  externalId?: string | undefined;
  /** Any value that the client's data converter accepts. `describe` and `list` return it. @default none */
  memo?: Record<string, unknown> | undefined;
  /**
   * Search attributes in Temporal's older form. These attributes exist only in the ledger, since Temporal does not know
   * the schedule.
   *
   * @default none
   */
  searchAttributes?: SearchAttributes | undefined;
  /** Search attributes; they take precedence over the older form. @default none */
  typedSearchAttributes?: SearchAttributePair[] | TypedSearchAttributes | undefined;
}

/** A range of time in which to fire occurrences that have not fired. */
export interface BackfillRange {
  /** Inclusive. Text is ISO 8601, or without an offset local time in the schedule's zone. */
  start: Date | string;
  /** Inclusive. A future time means now, since future occurrences fire by themselves. */
  end: Date | string;
  /** Overlap policy of these firings. @default the schedule's own policy */
  overlap?: OverlapPolicy;
}

/** State of a schedule right after creation. */
export interface ScheduleInitialState {
  /** @default false */
  paused?: boolean;
  /** Note on the state, for people to read. */
  note?: string;
  /**
   * Number of further firings until the schedule is completed; `0` for none. Manual firings do not count.
   *
   * @default undefined: no limit
   */
  remainingActions?: number;
  /** Fire once now, in addition to the spec. @default false */
  triggerImmediately?: boolean;
  /** Ranges of the past to fire right after creation, as {@link ScheduleHandle.backfill} does. */
  backfill?: BackfillRange[];
}

/**
 * The options of {@link EscapementClient.create}: Temporal's `ScheduleOptions` plus Escapement's own fields. The result
 * of `describe` is accepted too.
 */
export interface ScheduleOptions<A extends ScheduleOptionsAction = ScheduleOptionsAction> extends ScheduleLabels {
  /** ID of the schedule, 1 to 255 bytes of UTF-8. */
  scheduleId: string;
  /** When it fires. */
  spec: ScheduleSpec;
  /** The workflow that it starts. */
  action: A;
  /** How it fires. @default the default of each field */
  policies?: SchedulePolicies;
  /** Whether it fires. @default live, without a limit */
  state?: ScheduleInitialState;
  /** Temporal namespace in which the workflows start. @default the client's, else 'default' */
  namespace?: string;
  /** Tenant of the schedule, if several tenants share a database. @default '' */
  tenant?: string;
}

/** State that {@link ScheduleHandle.update} sets. */
export type ScheduleUpdateState = Omit<ScheduleInitialState, 'triggerImmediately' | 'backfill'>;

/**
 * The result of the function given to {@link ScheduleHandle.update}: the whole new definition. If the memo or search
 * attributes of the schedule itself are left out, they stay, as in Temporal; an empty object removes them.
 */
export interface ScheduleUpdateOptions<A extends ScheduleOptionsAction = ScheduleOptionsAction> extends ScheduleLabels {
  /** When the schedule fires from now on. */
  spec: ScheduleSpec;
  /** The workflow that it starts from now on. */
  action: A;
  /** How the schedule fires from now on. @default the default of each field */
  policies?: SchedulePolicies;
  /** Whether it fires. @default live, without a limit */
  state?: ScheduleUpdateState;
  /** Must stay as it is; another value is refused. @default the schedule's own */
  scheduleId?: string;
  /** Must stay as it is; another value is refused. @default the schedule's own */
  namespace?: string;
  /** Must stay as it is; another value is refused. @default the schedule's own */
  tenant?: string;
}
