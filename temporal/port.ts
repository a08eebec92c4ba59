import type { VersioningOverride } from '@temporalio/common';
import type { EffectivePolicies, EncodedPayload, StoredAction } from '../core/definition/definition';
import type { FiringKey, FiringKind, FiringOutcome, PreviousInMemo, Recovery } from '../core/firing';
import type { FailedStep } from '../core/letters/failed-step';
import type { ResetPoint } from '../core/letters/reset-point';
import type { CallLease } from './call-lease';

export interface WorkflowStart {
  firing: FiringKey & {
    kind: FiringKind;
    namespace: string;
    workflowId: string;
    epoch: number;
    /** Whether an earlier start was announced. Its call may have succeeded without an answer. */
    calledBefore: boolean;
  };
  action: StoredAction;
  policies: EffectivePolicies;
  /** The encoded arguments (`Payloads`). */
  args: Uint8Array | null;
  requestId: string;
  summary: string;
  memo: FiringMemo;
  /** How long Temporal waits before the first workflow task, in milliseconds; 0 for a start that is due. */
  delayMilliseconds: number;
  /** The worker version on which the workflow runs; undefined if Temporal decides. */
  versioningOverride?: VersioningOverride | undefined;
  /**
   * For how long the call may be sent. After that time another trigger may take the firing over, and later abandon it.
   */
  lease: CallLease;
}

/** What a workflow can read about its firing: plain JSON under the memo key `escapement`. */
export interface FiringMemo {
  /** The UUID of the ledger, since another ledger may have a schedule of the same name. */
  installation: string;
  scheduleId: string;
  /** The nominal time of the firing, ISO 8601. */
  scheduledTime: string;
  kind: FiringKind;
  startAttempt: number;
  epoch: number;
  actor?: string;
  recovery?: Recovery;
  previous?: PreviousInMemo;
}

export interface Chain {
  firstRunId: string;
  /** The run that was described: the current run, unless the caller named another one. */
  runId: string;
  /** How the described run ended; undefined while it runs, or if it continued as new. */
  outcome: FiringOutcome | undefined;
  closedAt: Date | undefined;
  /** The firing that the chain's memo names; undefined if it names none. */
  memo: FiringMemo | undefined;
  /** The ID of the Temporal Schedule that started the chain; undefined if none is known. */
  nativeScheduleId: string | undefined;
  /** Why the chain makes no progress although it runs; undefined if no problem is known. */
  stalled: StalledReason | undefined;
}

/**
 * `no_worker`: for a while, no worker has taken the chain's workflow task. `task_failing`: the chain's workflow task
 * fails again and again. `paused`: somebody has paused the workflow in Temporal.
 */
export type StalledReason = 'no_worker' | 'task_failing' | 'paused';

/** A run in Temporal's list. The list does not show the first run of its chain; only describe does. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  memo: FiringMemo;
  startedAt: Date;
  /** Whether the list shows the run as running. The list lags behind. */
  running: boolean;
}

export interface RunsPage {
  since: Date;
  /** Whether to list only running runs in which a step may be parked. @default false: every run is listed */
  onlyParking?: boolean;
  size: number;
  /** Where the previous page ended; undefined for the first page. */
  token: string | undefined;
}

/** A page of runs from Temporal's list. The page contains only runs with the memo of a firing. */
export interface ListedRuns {
  runs: ListedRun[];
  /** Where the next page begins; undefined after the last page. Any process may continue the list with this token. */
  next: string | undefined;
}

export interface EndedRun {
  workflowId: string;
  /** The ID of this run, which may be neither the first nor the last of its chain. */
  runId: string;
  memo: FiringMemo;
  /**
   * How the run ended; undefined for a run that continued as new. After a failure, the chain may go on with a retry.
   */
  outcome: FiringOutcome | undefined;
  closedAt: Date;
}

export interface EndedRunsPage {
  /** Only runs that closed at this time or later. */
  since: Date;
  size: number;
  token: string | undefined;
}

/** A page of ended runs. The page contains only runs with the memo of a firing. */
export interface EndedRuns {
  runs: EndedRun[];
  next: string | undefined;
}

export interface ChainTarget {
  namespace: string;
  workflowId: string;
  firstRunId: string;
}

export interface RunReset {
  namespace: string;
  workflowId: string;
  runId: string;
  eventId: number;
  /**
   * The request ID of the reset. Server 1.29 ignores a second reset with this ID while the new run is the current one;
   * server 1.32 resets again.
   */
  requestId: string;
  reason: string;
  /** The worker version for the new run; undefined to keep that of the old run. */
  versioningOverride?: VersioningOverride | undefined;
}

export interface RunSignal {
  namespace: string;
  workflowId: string;
  runId: string;
  name: string;
  /** The first argument of the signal, as plain JSON. */
  argument: unknown;
  /** A second argument, passed on unchanged as a user's converter and codec encoded it. */
  encoded?: EncodedPayload | undefined;
  /** A second signal with the same ID has no effect. */
  requestId: string;
  /** The worker version to which the run is moved before the signal; undefined to leave it on its version. */
  versioningOverride?: VersioningOverride | undefined;
}

/** A call that Temporal refused or did not answer, with the distinctions that recovery needs. */
export class TemporalCallError extends Error {
  override readonly name = 'TemporalCallError';
  constructor(
    message: string,
    /**
     * `rejected`: this request can never succeed. `taken`: a workflow has this ID, of another request or of this one
     * after a retry or continue-as-new. `busy`: the server is overloaded. `refused`: the server answered, and may accept
     * the same request another time. `away`: the call got no answer, or was not made.
     */
    readonly kind: 'rejected' | 'taken' | 'busy' | 'refused' | 'away',
    options: ErrorOptions & {
      /**
       * Whether the call certainly had no effect: it never left this process, or the server refused it at once.
       * @default false
       */
      unsent?: boolean;
      /** Whether the error concerns the whole namespace, or only this request. @default false */
      ofNamespace?: boolean;
    } = {},
  ) {
    super(message, options);
    this.unsent = options.unsent ?? false;
    this.ofNamespace = options.ofNamespace ?? false;
  }

  readonly unsent: boolean;
  readonly ofNamespace: boolean;
}

/**
 * The part of a server's API that a trigger uses, through `temporal/namespace.ts`. A call that fails throws a {@link
 * TemporalCallError}.
 */
export interface TemporalPort {
  /** @returns the first run of the chain, even if an earlier call with the same request ID has started the chain */
  startWorkflow(start: WorkflowStart): Promise<{ runId: string }>;
  /** Reads the latest chain of a workflow ID, or the chain of one run of it; undefined if Temporal knows none. */
  describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined>;
  /**
   * Reads runs that have ended, by the server's list; undefined if there is no such namespace, or for a test double
   * without lists. The list may lag behind, and may lack runs that were started without `scheduledAttributes`.
   */
  listEnds(namespace: string, page: EndedRunsPage): Promise<EndedRuns | undefined>;
  /** How long the namespace keeps closed workflows, in milliseconds; undefined if the server does not say. */
  retention(namespace: string): Promise<number | undefined>;
  /**
   * Why a run failed or timed out, with the step that made it fail, if any; undefined if it did neither, or is not
   * known.
   */
  failedStep(namespace: string, workflowId: string, runId: string): Promise<FailedStep | undefined>;
  /**
   * The event from which a failed run can continue; undefined if it cannot, or Temporal no longer knows the run.
   *
   * @param betweenPages is awaited between two pages of a long history
   */
  resetPoint(
    namespace: string,
    workflowId: string,
    runId: string,
    eventId?: number,
    betweenPages?: () => Promise<void>,
  ): Promise<ResetPoint | undefined>;
  /** @returns the new run; undefined if Temporal no longer knows the run to reset */
  reset(reset: RunReset): Promise<{ runId: string } | undefined>;
  /** Send a signal to one run. @returns false if Temporal no longer knows the run, or the run has ended */
  signal(signal: RunSignal): Promise<boolean>;
  /**
   * Ask a chain to cancel itself. If the chain has ended, or the workflow ID belongs to another chain by now, the call
   * does nothing.
   */
  requestCancel(target: ChainTarget, request: { requestId: string; reason: string }): Promise<void>;
  /**
   * End a chain at once. If the chain has ended, or the workflow ID belongs to another chain by now, the call does
   * nothing.
   */
  terminate(target: ChainTarget, request: { reason: string }): Promise<void>;
  /**
   * A page of the runs that started at `since` or later; undefined if there is no such namespace, or for a test double
   * without lists.
   */
  listRuns(namespace: string, page: RunsPage): Promise<ListedRuns | undefined>;
  close(): Promise<void>;
}
