import type { temporal } from '@temporalio/proto';
import type { EffectivePolicies } from '../../core/definition/definition';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule/spec';
import type { ParkedAction } from '../../store/schedules/schedule-actions';
import type { DescribedAction, DescribedSearchAttributes, PlainAction } from './describe-action';

/** A workflow that a schedule started. */
export interface ScheduleExecutionActionResult {
  type: 'startWorkflow';
  /** The workflow. */
  workflow: {
    /** ID of the workflow. */
    workflowId: string;
    /** First run of the chain; retries, continue-as-new and resets have later runs. */
    firstExecutionRunId: string;
  };
}

/** A firing that started a workflow. */
export interface ScheduleExecutionResult {
  /** Nominal time, without jitter. */
  scheduledAt: Date;
  /** When the start of the workflow was recorded. */
  takenAt: Date;
  /** The workflow that was started. */
  action: ScheduleExecutionActionResult;
}

/** A live schedule with the policies in force. */
export interface ScheduleSummary extends DescribedSearchAttributes {
  /** ID of the schedule. */
  scheduleId: string;
  /** Temporal namespace in which the schedule's workflows start. */
  namespace: string;
  /** Tenant of the schedule; empty for none. */
  tenant: string;
  /**
   * The source that declared the schedule, if it is declared in code. A client of all tenants sees a tenant's source
   * under the source's name in the ledger.
   */
  source?: string;
  /**
   * When the schedule fires, in the form that Temporal's `describe` uses; in the registered form if the spec can no
   * longer be read.
   */
  spec: ScheduleSpecDescription;
  /** The spec in its registered form, not in Temporal's. */
  definition: {
    /** When the schedule fires, as registered, with every instant as a Date and the days of calendars filled in. */
    spec: ScheduleSpec;
  };
  /**
   * The workflow that the schedule starts, without its search attributes and encoded fields (arguments, memo, texts,
   * headers). Durations are in milliseconds.
   */
  action: PlainAction;
  /** The policies in force; durations in milliseconds. */
  policies: Omit<EffectivePolicies, 'catchupLimit' | 'maxConcurrent' | 'parkedHolds'> & {
    /** How many of the most recent occurrences may fire after downtime; infinity means no limit. */
    catchupLimit: number;
    /** How many firings may be open before `overlap` applies; undefined: one, or no limit with ALLOW_ALL. */
    maxConcurrent?: number;
    /** Whether a firing holds the schedule while one of its steps is parked. */
    parkedHolds: boolean;
  };
  /** Who is responsible for the schedule; undefined if nobody is named. */
  owner?: string;
  /** Link to the instructions for a failure; undefined if none was given. */
  runbook?: string;
  /** ID of the schedule in another system; undefined if none was given. */
  externalId?: string;
  /** Memo of the schedule itself; undefined if it has none. */
  memo?: Record<string, unknown>;
  /** Why `memo` is left out: this client's converter and codec cannot decode it. */
  memoError?: string;
  /** Whether the schedule fires, and why not. */
  state: {
    /** Whether the schedule is paused, so that its occurrences are not claimed. */
    paused: boolean;
    /** When the pause began; undefined if there is none, or if an old version of Escapement paused the schedule. */
    pausedAt?: Date;
    /** Who began the pause; undefined if there is none, if `pauseOnFailure` began it, or if nobody was recorded. */
    pausedBy?: string;
    /** When the pause ends by itself; undefined if there is no pause, or somebody must unpause the schedule. */
    pausedUntil?: Date;
    /** The note of the creation, or of the last pause, end of a pause or update: why the schedule is in this state. */
    note?: string;
    /**
     * `true` if the schedule was imported in shadow mode: it records its occurrences but starts nothing, since its
     * Temporal Schedule still runs.
     */
    shadow?: true;
    /** Number of firings of the spec that are left; undefined if there is no limit. */
    remainingActions?: number;
    /** `true` if the spec will fire nothing more: the schedule has no actions left, or the spec has ended. */
    completed?: boolean;
    /** Since when the schedule is completed; undefined if it is not, or if that is not known. */
    completedAt?: Date;
    /** Who completed the schedule by creating or updating it; undefined if nobody did. */
    completedBy?: string;
    /** Why the schedule was set aside: its stored definition cannot be used. */
    specError?: string;
    /** Since when the schedule has been set aside; undefined if it is not, or if that is not known. */
    setAsideAt?: Date;
  };
  /** The version, the times and the latest actions of the schedule. */
  info: {
    /** The number of the current version, which grows with each change of the definition. */
    version: number;
    /** When the schedule was created, or created again after a deletion. */
    createdAt: Date;
    /** When the schedule was last updated (more than its labels), paused or unpaused; undefined if it never was. */
    lastUpdatedAt: Date | undefined;
    /** The next nominal time; undefined if none is planned, as in a pause or after the spec's end. */
    nextFireAt: Date | undefined;
    /** Nominal time of the last occurrence for which a trigger wrote a firing. */
    lastFireAt: Date | undefined;
    /** Every occurrence up to this instant has its answer: a firing or a gap. */
    answeredTo: Date;
    /**
     * The next five nominal times without excluded ones, even if the schedule is paused. Fewer if `remainingActions` is
     * lower or the spec ends, and none if the schedule is set aside or its spec cannot be evaluated.
     */
    nextActionTimes: Date[];
    /**
     * The last five workflows that were started since `createdAt`, oldest first. Only the latest twenty firings that
     * were not excluded are searched.
     */
    recentActions: ScheduleExecutionResult[];
  };
}

/** A schedule with its encoded fields decoded, its next times and its last actions. */
export interface ScheduleDescription extends Omit<ScheduleSummary, 'memoError'> {
  /**
   * The part of Temporal's own response that no other field contains: the headers that an interceptor set. `create` and
   * `update` ignore this field.
   */
  raw: temporal.api.workflowservice.v1.IDescribeScheduleResponse;
  /** The workflow that the schedule starts, with its encoded fields decoded. */
  action: DescribedAction;
  /** What the schedule has done, and what comes next. */
  info: Omit<ScheduleSummary['info'], 'nextActionTimes' | 'recentActions'> & {
    /** The spec in words, one line for each part. */
    description: string[];
    /**
     * The next ten nominal times without excluded ones, even if the schedule is paused. Fewer if `remainingActions` is
     * lower or the spec ends, and none if the schedule is set aside or its spec cannot be evaluated.
     */
    nextActionTimes: Date[];
    /** The last ten firings that started workflows, since `countedFrom`, manual ones included, oldest first. */
    recentActions: ScheduleExecutionResult[];
    /** The freeze that holds the schedule now; undefined if no freeze does. */
    frozen?: {
      /** ID of the freeze, a UUID. */
      freezeId: string;
      /** When the freeze ends. */
      until: Date;
      /** Why the freeze was made; undefined if nobody said, or if this tenant may not know. */
      note?: string;
    };
    /** Until when the tenant's quota holds back firings of the schedule; undefined if it holds back none. */
    delayedUntil?: Date;
    /** Workflows that are running, as far as known; the latest 1,000 at most. */
    runningActions: ScheduleExecutionActionResult[];
    /**
     * Firings that pre-start has claimed ahead of their time, and that have not begun. Until their time has come, no
     * pause, update or deletion affects these firings.
     */
    handedOver: { scheduledAt: Date; startsAt: Date }[];
    /**
     * Steps that wait for a person, at most 1,000. `policies.parkedHolds` says whether their firings hold the schedule.
     */
    parkedActions: ParkedAction[];
    /** Number of firings that started workflows, since `countedFrom`. */
    numActionsTaken: number;
    /**
     * Number of missed occurrences that were outside `catchupWindow` or over `catchupLimit`. Counted in the latest
     * 10,000 gaps, without those from before the schedule's creation.
     */
    numActionsMissedCatchupWindow: number;
    /** Number of firings that the overlap policy skipped, since `countedFrom`. */
    numActionsSkippedOverlap: number;
    /**
     * Since when firings are counted: the schedule's creation, the end of the retired months, or the 10,000th latest
     * firing.
     */
    countedFrom: Date;
  };
}
