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

/** What daylight saving does to `spec.cron`; see `docs/time.md`. */
export type DstPolicy = 'ONCE' | 'LITERAL';

/** An interval as Temporal has it, aligned to the Unix epoch, or to `anchor`. */
export interface IntervalSpec extends TemporalIntervalSpec {
  /**
   * Instant that the interval counts from, instead of the Unix epoch. Occurrences before it exist too.
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
   * Cron expression or list of them: 5 fields; 6 with leading seconds; 7 with trailing year. When both day fields are
   * restricted, either may match (POSIX).
   */
  cron?: string | string[];
  /**
   * What `cron` does when the clock changes: `'ONCE'` fires a fixed local time exactly once on such a day, `'LITERAL'`
   * skips a missing time and fires a repeated one twice, as Temporal does.
   *
   * @default 'ONCE'
   */
  dst?: DstPolicy;
  /** Single instants, whole seconds. */
  at?: Date | Date[];
  /**
   * Days on which nothing occurs: names of calendars of days, as `client.calendars` has them, and dates such as `2026-12-31`. The day
   * is that of the nominal time in the spec's zone.
   *
   * @see `docs/calendars.md`
   */
  skipDays?: string[];
  /** Days on which alone something occurs, named as those of `skipDays`, which holds as well. @default every day */
  onlyDays?: string[];
  /**
   * The days of the calendars that are named, by name: dates with spaces between them. The ledger fills it in, and follows each change of
   * a calendar: what a definition says here is not read when it is written. Pure functions, such as `nextOccurrences`, read it.
   */
  calendarDays?: Record<string, string>;
}

/** An interval as describe returns it, in milliseconds. */
export interface IntervalSpecDescription extends TemporalIntervalSpecDescription {
  /** Instant that the interval counts from; the Unix epoch without it. */
  anchor?: Date;
}

/**
 * When a schedule fires, in the form in which Temporal's own describe returns it: calendars with every field as ranges,
 * intervals and jitter in milliseconds, cron expressions turned into calendars. Valid as create and update take it.
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
/** What happens to an occurrence that is due while an earlier firing is open: Temporal's six, by name. */
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** How a schedule behaves when it is late, overlapping or uncertain. Every default is in {@link DEFAULTS}. */
export interface SchedulePolicies {
  /**
   * What happens to an occurrence that is due while an earlier firing is still open.
   *
   * @default 'SKIP'
   */
  overlap?: OverlapPolicy | undefined;
  /**
   * How late a missed occurrence may still fire; older ones become a gap. At least 10 seconds.
   *
   * @default '1 year', as Temporal's
   * @format number of milliseconds or ms-formatted string
   */
  catchupWindow?: Duration;
  /**
   * How many occurrences fire after downtime: the most recent N, oldest first. `0` catches up none,
   * `Number.POSITIVE_INFINITY` all. An occurrence not more than 10 seconds late is on time: it always fires, and counts
   * among the N.
   *
   * @default 100
   */
  catchupLimit?: number;
  /** Pause the schedule when a firing's workflow fails or times out, after its own retries. @default false */
  pauseOnFailure?: boolean;
  /**
   * What to do with a start that was attempted so long ago that Temporal can no longer deduplicate it: `'SKIP'` is at
   * most once, `'START'` at least once.
   *
   * @default 'SKIP'
   */
  onUncertain?: 'SKIP' | 'START';
  /**
   * Whether a firing may be handed to Temporal ahead of its time, with a start delay, where so many are due at once that
   * they could not all be started in time. It never begins early; what was handed over is not taken back. A duration says
   * how far ahead at most, 10 minutes at the longest.
   *
   * @default true: ten seconds at most, or what the trigger's `preStartCap` says
   */
  preStart?: boolean | Duration;
  /** Upper bound of open firings at once, beyond what `overlap` allows. @default undefined: no bound */
  maxConcurrent?: number;
  /**
   * Whether a firing holds the schedule while a step of it is parked. With `false` the schedule goes on as if that firing were not
   * there, and a step that a person redrives may run beside the firing that is open by then.
   *
   * @default true: its workflow runs, and may go on at any moment
   */
  parkedHolds?: boolean;
  /**
   * How long a step may be parked. Then it fails as it would have without park, and its dead letter stays open. At least one
   * minute; checked each minute.
   *
   * @default undefined: until somebody decides
   * @format number of milliseconds or ms-formatted string
   */
  parkedAtMost?: Duration;
  /** When alerts of this schedule open. @default each field's own, as the ledger's settings have it */
  alerts?: ScheduleAlerts;
}

/** What does not depend on the workflow. The compiler infers the workflow from the rest alone, many times faster. */
interface StartWorkflowSettings extends Omit<TemporalStartWorkflowAction<Workflow>, 'workflowType' | 'args'> {
  /** Of the workflow's tasks, where the server has priorities. @default Temporal's */
  priority?: Priority | undefined;
  /**
   * How long after its start a workflow is asked to cancel itself, so that it can tidy up.
   *
   * @default undefined: never
   * @format number of milliseconds or ms-formatted string
   */
  softTimeout?: Duration;
}

/**
 * Start a workflow, as Temporal's `startWorkflow` action. `args`, `memo`, `staticSummary` and `staticDetails` are encoded
 * by the client's data converter and codec when they are registered, and reach the workflow as they are.
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

/** {@link ScheduleOptionsStartWorkflowAction} by a shorter name. */
export type ScheduleAction<W extends Workflow = Workflow> = ScheduleOptionsStartWorkflowAction<W>;

/** What is noted of a schedule itself, not of the workflows that it starts. */
export interface ScheduleLabels {
  /** Who answers for it, such as a team: named by every alert of it, and to be listed by. An empty text is none. @default none */
  owner?: string | undefined;
  /** Where it says what to do when it fails: an http or https link, in every alert of it. An empty text is none. @default none */
  runbook?: string | undefined;
  /** What another system calls it: no other live schedule of its tenant has the same. An empty text is none. @default none */
  externalId?: string | undefined;
  /** Anything that the client's data converter takes; read by describe and list. @default none */
  memo?: Record<string, unknown> | undefined;
  /**
   * Search attributes in Temporal's older form. They are the ledger's alone: Temporal knows no schedule to index.
   *
   * @default none
   */
  searchAttributes?: SearchAttributes | undefined;
  /** Search attributes; where both forms name one, this one counts. @default none */
  typedSearchAttributes?: SearchAttributePair[] | TypedSearchAttributes | undefined;
}

/** A stretch of time in which to fire what has not fired. */
export interface BackfillRange {
  /** Inclusive. Text is ISO 8601, or without an offset local time in the schedule's zone. */
  start: Date | string;
  /** Inclusive. One in the future is taken for now: what is to come fires by itself. */
  end: Date | string;
  /** Overlap policy of these firings. @default the schedule's own policy */
  overlap?: OverlapPolicy;
}

/** State of a schedule right after creation. */
export interface ScheduleInitialState {
  /** @default false */
  paused?: boolean;
  /** Why it is in that state, for people. */
  note?: string;
  /**
   * How many more firings the schedule takes before it is completed; `0` takes none. Manual ones do not count.
   *
   * @default undefined: no limit
   */
  remainingActions?: number;
  /** Fire once now, besides the spec. @default false */
  triggerImmediately?: boolean;
  /** Stretches of the past to fire right after creation, as {@link ScheduleHandle.backfill} does. */
  backfill?: BackfillRange[];
}

/**
 * What {@link EscapementClient.create} takes: Temporal's `ScheduleOptions` and what Escapement adds. What describe returns
 * is valid as it is.
 */
export interface ScheduleOptions<A extends ScheduleOptionsAction = ScheduleOptionsAction> extends ScheduleLabels {
  /** Name and identity of the schedule, 1 to 255 bytes of UTF-8. */
  scheduleId: string;
  /** When it fires. */
  spec: ScheduleSpec;
  /** The workflow that it starts. */
  action: A;
  /** How it fires. @default each field's own */
  policies?: SchedulePolicies;
  /** Whether it fires. @default live, without a limit */
  state?: ScheduleInitialState;
  /** Temporal namespace that the workflows start in. @default the client's, else 'default' */
  namespace?: string;
  /** Owner of the schedule where several share one database. @default '' */
  tenant?: string;
}

/** State that {@link ScheduleHandle.update} sets. */
export type ScheduleUpdateState = Omit<ScheduleInitialState, 'triggerImmediately' | 'backfill'>;

/**
 * What the function given to {@link ScheduleHandle.update} returns: the whole new definition. Memo and search attributes
 * of the schedule itself stay where they are left out, as in Temporal; an empty object removes them.
 */
export interface ScheduleUpdateOptions<A extends ScheduleOptionsAction = ScheduleOptionsAction> extends ScheduleLabels {
  /** When it fires from now on. */
  spec: ScheduleSpec;
  /** The workflow that it starts from now on. */
  action: A;
  /** How it fires from now on. @default each field's own */
  policies?: SchedulePolicies;
  /** Whether it fires. @default live, without a limit */
  state?: ScheduleUpdateState;
  /** Kept as it is; another one is refused. @default the schedule's own */
  scheduleId?: string;
  /** Kept as it is; another one is refused. @default the schedule's own */
  namespace?: string;
  /** Kept as it is; another one is refused. @default the schedule's own */
  tenant?: string;
}

export type { CalendarSpec, CalendarSpecDescription };
