import type { VersioningOverride } from '@temporalio/common';
import type { EffectivePolicies, EncodedPayload, StoredAction } from '../core/definition/definition';
import type { FiringKey, FiringKind, FiringOutcome, PreviousInMemo, Recovery } from '../core/firing';
import type { FailedStep } from '../core/letters/failed-step';
import type { ResetPoint } from '../core/letters/reset-point';
import type { Lease } from './lease';

/** The start call of a firing, before its conversion to Temporal's form. */
export interface WorkflowStart {
  firing: FiringKey & {
    kind: FiringKind;
    namespace: string;
    workflowId: string;
    epoch: number;
    /** Whether an earlier call may have succeeded without an answer. */
    calledBefore: boolean;
  };
  action: StoredAction;
  policies: EffectivePolicies;
  /** Encoded `Payloads`. */
  args: Uint8Array | null;
  requestId: string;
  /** A one-line summary for the Temporal UI. */
  summary: string;
  memo: FiringMemo;
  /** How long Temporal waits before the first workflow task, in milliseconds; 0 for a start that is due. */
  delayMilliseconds: number;
  /** The worker version that it runs on; undefined if Temporal decides. */
  versioningOverride?: VersioningOverride | undefined;
  /** After the lease the call must not be sent: another trigger may have taken the firing over and abandoned it. */
  lease: Lease;
}

/** What a workflow can read about its firing, as plain JSON under the memo key `escapement`. */
export interface FiringMemo {
  /** The UUID of the ledger, since another ledger may have a schedule of the same name. */
  installation: string;
  scheduleId: string;
  /** ISO 8601. */
  scheduledTime: string;
  kind: FiringKind;
  startAttempt: number;
  epoch: number;
  actor?: string;
  recovery?: Recovery;
  previous?: PreviousInMemo;
}

/** A workflow chain as Temporal knows it. */
export interface Chain {
  /** The first run of the chain. */
  firstRunId: string;
  /** The current run. */
  runId: string;
  /** How the chain ended; undefined while it runs. */
  outcome: FiringOutcome | undefined;
  closedAt: Date | undefined;
  /** The firing in the memo, if Escapement started the chain. */
  memo: FiringMemo | undefined;
  /** The Temporal schedule that started it. */
  nativeScheduleId: string | undefined;
  /** Why it makes no progress although it runs; undefined if no problem is known. */
  stalled: StalledReason | undefined;
}

/**
 * `no_worker`: no worker has taken its workflow task for a while. `task_failing`: its workflow task fails again and
 * again. `paused`: somebody has paused the workflow in Temporal.
 */
export type StalledReason = 'no_worker' | 'task_failing' | 'paused';

/** A run of a chain as Temporal's list shows it: without the chain's first run, which only describe returns. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  memo: FiringMemo;
  startedAt: Date;
  /** By the list, which lags behind. */
  running: boolean;
}

/** Selects a page of a list of runs. */
export interface RunsPage {
  since: Date;
  /** Only running runs in which a step may be parked. @default every run */
  onlyParking?: boolean;
  /** The most runs on the page. */
  size: number;
  /** Where the page before ended; undefined for the first page. */
  token: string | undefined;
}

/** A page of runs. Only those with the memo of a firing are returned. */
export interface ListedRuns {
  runs: ListedRun[];
  /** Where the next page begins; undefined after the last page. Any process may continue from there. */
  next: string | undefined;
}

/** A run that has ended, as Temporal's list shows it. */
export interface EndedRun {
  workflowId: string;
  /** The run itself, which may be neither the first nor the last of its chain. */
  runId: string;
  memo: FiringMemo;
  /** How the run ended; undefined for a run that continued as new. */
  outcome: FiringOutcome | undefined;
  closedAt: Date;
}

/** Selects a page of the runs that have ended. */
export interface EndedRunsPage {
  /** Runs that closed at this time or later. */
  since: Date;
  /** The most runs on the page. */
  size: number;
  /** Where the page before ended; undefined for the first page. */
  token: string | undefined;
}

/** A page of ended runs, the last one first. Only those with the memo of a firing are returned. */
export interface EndedRuns {
  runs: EndedRun[];
  /** Where the next page begins; undefined after the last page. */
  next: string | undefined;
}

/** Identifies a chain: its workflow ID, and the run with which it began. */
export interface ChainTarget {
  namespace: string;
  workflowId: string;
  firstRunId: string;
}

/** Identifies a run to reset, and the event from which it continues. */
export interface RunReset {
  namespace: string;
  workflowId: string;
  runId: string;
  eventId: number;
  /** A second reset with the same ID has no effect. */
  requestId: string;
  reason: string;
  /** The worker version for the new run; undefined to keep that of the old run. */
  versioningOverride?: VersioningOverride | undefined;
}

/** A signal to one run. */
export interface RunSignal {
  namespace: string;
  workflowId: string;
  runId: string;
  name: string;
  /** Plain JSON. */
  argument: unknown;
  /** A second argument, passed on as a user's converter and codec encoded it. */
  encoded?: EncodedPayload | undefined;
  /** A second signal with the same ID has no effect. */
  requestId: string;
  /** The worker version to which the run is moved first; undefined to leave it. */
  versioningOverride?: VersioningOverride | undefined;
}

/** A call that Temporal refused or failed, with the distinctions that recovery needs. */
export class TemporalCallError extends Error {
  override readonly name = 'TemporalCallError';
  constructor(
    message: string,
    /**
     * `rejected`: this request can never succeed, and counts as an attempt. `taken`: another request has started a
     * workflow with this ID. `busy`: the server is overloaded. `refused`: the server answered, and may accept the same
     * request another time. `away`: nobody answered.
     */
    readonly kind: 'rejected' | 'taken' | 'busy' | 'refused' | 'away',
    options: ErrorOptions & {
      /**
       * Whether the call certainly had no effect: it never left this process, or was refused at once. @default false
       */
      unsent?: boolean;
      /** Whether the whole namespace is affected, or only this request. @default false */
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
 * The part of a server's API that a trigger uses, through `temporal/namespace.ts`. Every method throws only
 * {@link TemporalCallError}.
 */
export interface TemporalPort {
  /** @returns the first run of the chain: the same run, however often the same request is sent */
  startWorkflow(start: WorkflowStart): Promise<{ runId: string }>;
  /** The chain of a workflow ID, or of one run of it; undefined if Temporal knows none. */
  describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined>;
  /** Runs that have ended, by the server's list, which may lag behind; undefined if the server has no lists. */
  listEnds(namespace: string, page: EndedRunsPage): Promise<EndedRuns | undefined>;
  /** How long the namespace keeps closed workflows, in milliseconds; undefined if the server does not say. */
  retention(namespace: string): Promise<number | undefined>;
  /** The step that made a run fail; undefined if no step did, or Temporal no longer knows. */
  failedStep(namespace: string, workflowId: string, runId: string): Promise<FailedStep | undefined>;
  /** The event from which a failed run can continue; undefined if it cannot, or Temporal no longer knows the run. */
  resetPoint(namespace: string, workflowId: string, runId: string, eventId?: number): Promise<ResetPoint | undefined>;
  /** @returns the new run; undefined if Temporal no longer knows the run to reset */
  reset(reset: RunReset): Promise<{ runId: string } | undefined>;
  /** Send a signal to one run. @returns false if Temporal no longer knows the run, or the run has ended */
  signal(signal: RunSignal): Promise<boolean>;
  /** Ask a chain to cancel itself. Does nothing if the chain has ended or is another one. */
  requestCancel(target: ChainTarget, request: { requestId: string; reason: string }): Promise<void>;
  /** End a chain at once. Does nothing if the chain has ended or is another one. */
  terminate(target: ChainTarget, request: { reason: string }): Promise<void>;
  /** A page of the runs that started at `since` or later; undefined if the server has no lists or no such namespace. */
  listRuns(namespace: string, page: RunsPage): Promise<ListedRuns | undefined>;
  close(): Promise<void>;
}
