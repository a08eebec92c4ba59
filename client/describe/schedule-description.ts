import type { temporal } from '@temporalio/proto';
import type { EffectivePolicies } from '../../core/definition/definition';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule';
import type { ParkedAction } from '../../store/schedules/schedule-actions';
import type { DescribedAction, DescribedSearchAttributes, PlainAction } from './describe-action';

/** A workflow that a schedule started. */
export interface ScheduleExecutionActionResult {
  type: 'startWorkflow';
  /** The workflow. */
  workflow: {
    /** Its ID. */
    workflowId: string;
    /** First run of the chain: retries, continue-as-new and resets have others. */
    firstExecutionRunId: string;
  };
}

/** A firing that became a workflow. */
export interface ScheduleExecutionResult {
  /** Nominal time, without jitter. */
  scheduledAt: Date;
  /** When its start was recorded. */
  takenAt: Date;
  /** What it became. */
  action: ScheduleExecutionActionResult;
}

/** A live schedule, with its policies as they are in force. */
export interface ScheduleSummary extends DescribedSearchAttributes {
  /** Its name. */
  scheduleId: string;
  /** Temporal namespace that its workflows start in. */
  namespace: string;
  /** Whose it is; empty unless given. */
  tenant: string;
  /** What declared it, for schedules that are synced from code; a tenant's source by the ledger's name, to clients of all tenants. */
  source?: string;
  /** When it fires, as Temporal's own describe has it; as it was registered where it cannot be read any more. */
  spec: ScheduleSpecDescription;
  /** What of it was registered in another form. */
  definition: {
    /** When it fires, word for word, with every instant as a Date. */
    spec: ScheduleSpec;
  };
  /** The workflow that it starts, without its encoded fields (arguments, memo, texts). Durations are in milliseconds. */
  action: PlainAction;
  /** The policies in force; durations in milliseconds. */
  policies: Omit<EffectivePolicies, 'catchupLimit' | 'maxConcurrent' | 'parkedHolds'> & {
    /** Missed firings that start after downtime; infinity is no limit. */
    catchupLimit: number;
    /** No bound without it. */
    maxConcurrent?: number;
    /** Whether a firing holds the schedule while a step of it is parked. */
    parkedHolds: boolean;
  };
  /** Who answers for it; without it nobody is named. */
  owner?: string;
  /** Where it says what to do when it fails; without it there is none. */
  runbook?: string;
  /** What another system calls it; without it nothing. */
  externalId?: string;
  /** Of the schedule itself; without it there is none. */
  memo?: Record<string, unknown>;
  /** Why `memo` is left out: this client's converter and codec cannot decode it. */
  memoError?: string;
  /** Whether it fires, and why not. */
  state: {
    /** Whether it claims nothing new. */
    paused: boolean;
    /** Since when it is paused; without it that is not known, since an older version paused it. */
    pausedAt?: Date;
    /** Who paused it; nobody where `pauseOnFailure` did. */
    pausedBy?: string;
    /** When the pause ends by itself; without it somebody must unpause it. */
    pausedUntil?: Date;
    /** Why it is in that state. */
    note?: string;
    /** `true` where it answers and starts nothing: it was imported in shadow, and Temporal's own schedule still runs it. */
    shadow?: true;
    /** Firings that are left; no limit without it. */
    remainingActions?: number;
    /** `true` when nothing will fire any more: no action is left, or the spec has ended. */
    completed?: boolean;
    /** Since when nothing will fire; without it that is not known. */
    completedAt?: Date;
    /** Who ended it; nobody where its spec ended, or its last action was taken. */
    completedBy?: string;
    /** Why the schedule was set aside: its stored definition cannot be used. */
    specError?: string;
    /** Since when it is set aside; without it that is not known. */
    setAsideAt?: Date;
  };
  /** What became of it so far. */
  info: {
    /** Grows with each change of the definition. */
    version: number;
    /** When it was created, or created again. */
    createdAt: Date;
    /** When its definition or its state was changed last; undefined if never. */
    lastUpdatedAt: Date | undefined;
    /** The next nominal time; undefined while paused, or when the spec ends. */
    nextFireAt: Date | undefined;
    /** Nominal time of the latest firing of the spec. */
    lastFireAt: Date | undefined;
    /** Every occurrence up to here has its answer: a firing or a gap. */
    answeredTo: Date;
    /** The next five nominal times, whether paused or not; as many as `remainingActions` leaves. */
    nextActionTimes: Date[];
    /** Of the latest twenty firings those that became workflows, the last five, the latest last. */
    recentActions: ScheduleExecutionResult[];
  };
}

/** A schedule with what was encoded of it decoded, its next times and its last actions. */
export interface ScheduleDescription extends Omit<ScheduleSummary, 'memoError'> {
  /** What of Temporal's own response nothing else has: the headers that an interceptor set. No field of create or update. */
  raw: temporal.api.workflowservice.v1.IDescribeScheduleResponse;
  /** The workflow that it starts, with what was encoded of it decoded. */
  action: DescribedAction;
  /** What became of it so far, and what comes next. */
  info: Omit<ScheduleSummary['info'], 'nextActionTimes' | 'recentActions'> & {
    /** The spec in words, a line for each part. */
    description: string[];
    /** The next ten nominal times, whether paused or not; as many as `remainingActions` leaves. */
    nextActionTimes: Date[];
    /** The last ten firings that became workflows, manual ones too, the latest last. */
    recentActions: ScheduleExecutionResult[];
    /** The freeze that holds it now; undefined where none does. */
    frozen?: {
      /** UUID. */
      freezeId: string;
      /** When it ends. */
      until: Date;
      /** Why; without it nobody said, or it is not this tenant's to know. */
      note?: string;
    };
    /** Until when its tenant's quota of firings holds back what is due; undefined where it holds nothing back. */
    delayedUntil?: Date;
    /** Workflows that run as far as is known, the latest 1,000 at most. */
    runningActions: ScheduleExecutionActionResult[];
    /** Firings that were handed to Temporal ahead of their time: no pause, update or deletion reaches them any more. */
    handedOver: { scheduledAt: Date; startsAt: Date }[];
    /** Steps that wait for a person; `policies.parkedHolds` says whether their firings hold the schedule. */
    parkedActions: ParkedAction[];
    /** Firings that became workflows, since `countedFrom`. */
    numActionsTaken: number;
    /** How many occurrences were missed and then lay outside `catchupWindow` or over `catchupLimit`, since `countedFrom`. */
    numActionsMissedCatchupWindow: number;
    /** Firings skipped because an earlier one was open, since `countedFrom`. */
    numActionsSkippedOverlap: number;
    /** The counts reach no further back than this: to the creation, the retention or the 10,000th firing before. */
    countedFrom: Date;
  };
}
