import type { SearchAttributePair, SearchAttributes, TypedSearchAttributes } from '@temporalio/common';
import type { ScheduleOptionsAction } from './action';
import type { OverlapPolicy, SchedulePolicies } from './policies';
import type { ScheduleSpec } from './spec';

/** Labels of a schedule itself, not of the workflows that it starts. */
export interface ScheduleLabels {
  /**
   * Who is responsible for the schedule, such as a team. Every alert about the schedule contains the owner's name, and
   * lists can filter by it. An empty text means none. @default none
   */
  owner?: string | undefined;
  /**
   * A link to the instructions for a failure: an http or https link, which every alert about the schedule contains. An
   * empty text means none. @default none
   */
  runbook?: string | undefined;
  /**
   * ID of the schedule in another system, unique among the live schedules of its tenant. An empty text means none.
   * @default none
   */
  externalId?: string | undefined;
  /**
   * The memo of the schedule: any values that the client's data converter accepts. `describe` and `list` return the
   * memo. @default none
   */
  memo?: Record<string, unknown> | undefined;
  /**
   * Search attributes in Temporal's older form. These attributes exist only in the ledger, since Temporal does not know
   * the schedule.
   *
   * @default none
   */
  searchAttributes?: SearchAttributes | undefined;
  /**
   * The search attributes of the schedule, in Temporal's typed form; they take precedence over the older form. @default
   * none
   */
  typedSearchAttributes?: SearchAttributePair[] | TypedSearchAttributes | undefined;
}

/** A range of time in which occurrences without a firing are to fire. */
export interface BackfillRange {
  /**
   * The start of the range, inclusive. A text looks like `2026-11-20T02:00Z`; without an offset, it is a local time in
   * the schedule's zone.
   */
  start: Date | string;
  /** The end of the range, inclusive. A future time is read as now, since future occurrences fire by themselves. */
  end: Date | string;
  /** Overlap policy of these firings. @default the schedule's own policy */
  overlap?: OverlapPolicy;
}

/** The state of a schedule right after its creation. */
export interface ScheduleInitialState {
  /** Whether the schedule is created as paused. @default false */
  paused?: boolean;
  /** A note about the schedule's state, for people. */
  note?: string;
  /**
   * How many more firings of the spec may start before the schedule is completed; `0` for none. Firings that a person
   * requested are not counted.
   *
   * @default undefined: no limit
   */
  remainingActions?: number;
  /** Whether the schedule fires once right after its creation, in addition to its spec. @default false */
  triggerImmediately?: boolean;
  /** Ranges in the past to fire right after creation, in the same way as {@link ScheduleHandle.backfill}. */
  backfill?: BackfillRange[];
}

/**
 * The options of {@link EscapementClient.create}: Temporal's `ScheduleOptions` plus Escapement's own fields. The result
 * of `describe` may be passed here too.
 */
export interface ScheduleOptions<A extends ScheduleOptionsAction = ScheduleOptionsAction> extends ScheduleLabels {
  /** ID of the schedule: 1 to 255 bytes of UTF-8 without control characters, and not `.` or `..`. */
  scheduleId: string;
  /** The times at which the schedule fires. */
  spec: ScheduleSpec;
  /** The workflow that the schedule starts. */
  action: A;
  /** The rules for overlapping, missed and uncertain firings. @default the default of each field */
  policies?: SchedulePolicies;
  /** Whether the schedule is paused, and how many firings it has left. @default not paused, without a limit */
  state?: ScheduleInitialState;
  /** Temporal namespace in which the workflows start. @default the client's, else 'default' */
  namespace?: string;
  /** The tenant to which the schedule belongs, if several tenants share a database. @default the client's, else '' */
  tenant?: string;
}

/** The schedule's state that {@link ScheduleHandle.update} writes. */
export type ScheduleUpdateState = Omit<ScheduleInitialState, 'triggerImmediately' | 'backfill'>;

/**
 * The result of the function that is passed to {@link ScheduleHandle.update}: the whole new definition. Labels that are
 * left out stay; an empty text or object removes a label.
 */
export interface ScheduleUpdateOptions<A extends ScheduleOptionsAction = ScheduleOptionsAction> extends ScheduleLabels {
  /** The times at which the schedule fires from now on. */
  spec: ScheduleSpec;
  /** The workflow that the schedule starts from now on. */
  action: A;
  /** The rules for overlapping, missed and uncertain firings from now on. @default the default of each field */
  policies?: SchedulePolicies;
  /** Whether the schedule is paused, and how many firings it has left. @default not paused, without a limit */
  state?: ScheduleUpdateState;
  /** The schedule's ID, which cannot be changed; another value is refused. @default the schedule's own */
  scheduleId?: string;
  /** The schedule's namespace, which cannot be changed; another value is refused. @default the schedule's own */
  namespace?: string;
  /** The schedule's tenant, which cannot be changed; another value is refused. @default the schedule's own */
  tenant?: string;
}
