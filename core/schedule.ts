import type {
  CalendarSpec,
  CalendarSpecDescription,
  IntervalSpec as TemporalIntervalSpec,
  IntervalSpecDescription as TemporalIntervalSpecDescription,
  ScheduleSpec as TemporalScheduleSpec,
  ScheduleSpecDescription as TemporalScheduleSpecDescription,
  ScheduleOptionsStartWorkflowAction as TemporalStartWorkflowAction,
} from '@temporalio/client';
import type {
  Duration,
  Priority,
  SearchAttributePair,
  SearchAttributes,
  TypedSearchAttributes,
  WithWorkflowArgs,
  Workflow,
} from '@temporalio/common';
import type { ScheduleAlerts } from './alert-rules';

/** How `spec.cron` treats changes of daylight saving time; see `docs/time.md`. */
export type DstPolicy = 'ONCE' | 'LITERAL';

/** An interval as in Temporal, aligned to the Unix epoch or to `anchor`. */
export interface IntervalSpec extends TemporalIntervalSpec {
  /**
   * Instant from which the interval counts, instead of the Unix epoch. It also has occurrences before this instant.
   *
   * @default the Unix epoch
   */
  anchor?: Date;
}

/**
 * When a schedule fires: the union of every part, minus `skip`.
 *
 * `cronExpressions`, `calendars`, `intervals` and `skip` mean exactly what they mean in Temporal; `cron` and `at` are
 * Escapement's own.
 *
 * @see https://typescript.temporal.io/api/interfaces/client.ScheduleSpec
 */
export interface ScheduleSpec extends Omit<TemporalScheduleSpec, 'intervals'> {
  /** Fixed periods, at least one second each. */
  intervals?: IntervalSpec[];
  /**
   * A cron expression or a list of them: 5 fields; 6 with leading seconds; 7 with trailing year. If both day fields are
   * restricted, a day matches if either of them does (POSIX).
   */
  cron?: string | string[];
  /**
   * How `cron` treats clock changes. `'ONCE'` fires a fixed local time exactly once on such a day. `'LITERAL'` skips a
   * missing time and fires a repeated one twice, as Temporal does.
   *
   * @default 'ONCE'
   */
  dst?: DstPolicy;
  /** Single instants, in whole seconds. */
  at?: Date | Date[];
  /**
   * Days without occurrences: names of calendars of days, as in `client.calendars`, and dates such as `2026-12-31`. An
   * occurrence belongs to the day of its nominal time in the spec's zone.
   *
   * @see `docs/calendars.md`
   */
  skipDays?: string[];
  /** The only days that have occurrences, named as in `skipDays`, which applies in addition. @default every day */
  onlyDays?: string[];
  /**
   * The days of the named calendars, by name: dates separated by spaces. The ledger fills this field in and updates it
   * with each change of a calendar; a value in a definition is ignored. Pure functions, such as `nextOccurrences`, read
   * it.
   */
  calendarDays?: Record<string, string>;
}

/** An interval in the form of `describe`, in milliseconds. */
export interface IntervalSpecDescription extends TemporalIntervalSpecDescription {
  /** Instant from which the interval counts; if absent, the Unix epoch. */
  anchor?: Date;
}

/**
 * When a schedule fires, in the form that Temporal's own `describe` returns. Calendars have every field as ranges,
 * intervals and jitter are in milliseconds, and cron expressions are converted to calendars. `create` and `update`
 * accept it.
 *
 * @see https://typescript.temporal.io/api/namespaces/client#schedulespecdescription
 */
export interface ScheduleSpecDescription
  extends Omit<TemporalScheduleSpecDescription, 'intervals'>,
    Pick<ScheduleSpec, 'cron' | 'dst' | 'at' | 'skipDays' | 'onlyDays' | 'calendarDays'> {
  /** Fixed periods. */
  intervals?: IntervalSpecDescription[];
}

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
   * start all on time. It never begins early, and a handed-over firing cannot be taken back. A duration, of 10 minutes
   * at most, limits how far ahead.
   *
   * @default true: at most ten seconds ahead, or the trigger's `preStartCap`
   */
  preStart?: boolean | Duration;
  /** Maximum number of open firings, in addition to `overlap`. @default undefined: no limit */
  maxConcurrent?: number;
  /**
   * Whether a firing counts as running while one of its steps is parked. With `false`, the schedule goes on without
   * regard to that firing, and a redriven step may run in parallel with a later firing.
   *
   * @default true: its workflow runs, and may go on at any moment
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

/**
 * The fields that do not depend on the workflow. With them apart, the compiler infers the workflow type many times
 * faster.
 */
interface StartWorkflowSettings extends Omit<TemporalStartWorkflowAction<Workflow>, 'workflowType' | 'args'> {
  /** Priority of the workflow's tasks, if the server supports priorities. @default Temporal's */
  priority?: Priority | undefined;
  /**
   * Time after its start when a workflow is asked to cancel itself, so that it can clean up.
   *
   * @default undefined: never
   * @format number of milliseconds or ms-formatted string
   */
  softTimeout?: Duration;
}

/**
 * Start a workflow, as in Temporal's `startWorkflow` action. `args`, `memo`, `staticSummary` and `staticDetails` are
 * encoded at registration by the client's data converter and codec. They reach the workflow unchanged.
 *
 * @see https://typescript.temporal.io/api/namespaces/client#scheduleoptionsstartworkflowaction
 */
export type ScheduleOptionsStartWorkflowAction<W extends Workflow = Workflow> = WithWorkflowArgs<
  W,
  StartWorkflowSettings & {
    /** The workflow function, or its name. */
    workflowType: string | W;
  }
>;

/** What a schedule does when it fires. */
export type ScheduleOptionsAction = ScheduleOptionsStartWorkflowAction<Workflow>;

/** A shorter name for {@link ScheduleOptionsStartWorkflowAction}. */
export type ScheduleAction<W extends Workflow = Workflow> = ScheduleOptionsStartWorkflowAction<W>;

/** Labels of a schedule itself, not of the workflows that it starts. */
export interface ScheduleLabels {
  /**
   * Who is responsible for it, such as a team. Every alert of it contains the name, and lists can filter by it. An
   * empty text means none. @default none
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
   * Search attributes in Temporal's older form. They exist only in the ledger, since Temporal does not know the
   * schedule.
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
  /** When it fires from now on. */
  spec: ScheduleSpec;
  /** The workflow that it starts from now on. */
  action: A;
  /** How it fires from now on. @default the default of each field */
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

export type { CalendarSpec, CalendarSpecDescription };
