import type { VersioningOverride } from '@temporalio/common';
import type { EffectivePolicies, EncodedPayload, StoredAction } from '../core/definition/definition';
import type { FiringKey, FiringKind, FiringOutcome, PreviousInMemo, Recovery } from '../core/firing';
import type { FailedStep } from '../core/letters/failed-step';
import type { ResetPoint } from '../core/letters/reset-point';
import type { Lease } from './lease';

/** The one start call of a firing, before it is put into Temporal's form. */
export interface WorkflowStart {
  firing: FiringKey & {
    kind: FiringKind;
    namespace: string;
    workflowId: string;
    epoch: number;
    /** Whether an earlier call of it may have landed unheard. */
    calledBefore: boolean;
  };
  action: StoredAction;
  policies: EffectivePolicies;
  /** Encoded `Payloads`. */
  args: Uint8Array | null;
  requestId: string;
  /** One line for the Temporal UI. */
  summary: string;
  memo: FiringMemo;
  /** How long Temporal is to wait before the first workflow task, in milliseconds; 0 for a start that is due. */
  delayMilliseconds: number;
  /** The worker version that it runs on; undefined where Temporal decides. */
  versioningOverride?: VersioningOverride | undefined;
  /** After it the call must not be sent: another trigger may have taken the firing over and given it up. */
  lease: Lease;
}

/** What a workflow can read of its firing, under the memo key `escapement`; plain JSON. */
export interface FiringMemo {
  /** UUID of the ledger: another one may have a schedule of the same name. */
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
  /** First run of the chain. */
  firstRunId: string;
  /** Its current run. */
  runId: string;
  /** How it ended; undefined while it runs. */
  outcome: FiringOutcome | undefined;
  closedAt: Date | undefined;
  /** The memo's firing, where the chain is one of ours. */
  memo: FiringMemo | undefined;
  /** The schedule of Temporal's own that started it. */
  nativeScheduleId: string | undefined;
  /** Why it gets nowhere though it runs; undefined where nothing is known to be wrong. */
  stalled: StalledReason | undefined;
}

/**
 * `no_worker`: nobody has taken its workflow task for a while. `task_failing`: its workflow task fails again and again. `paused`:
 * somebody has paused the workflow in Temporal.
 */
export type StalledReason = 'no_worker' | 'task_failing' | 'paused';

/** A chain's run as Temporal's list shows it: without its first run, which only describe tells. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  memo: FiringMemo;
  startedAt: Date;
  /** By the list, which lags behind. */
  running: boolean;
}

/** Which page of a list of runs is meant. */
export interface RunsPage {
  since: Date;
  /** Only what still runs, and in which a step may be parked. @default every run */
  onlyParking?: boolean;
  /** Runs on it at most. */
  size: number;
  /** Where the page before ended; undefined for the first. */
  token: string | undefined;
}

/** A page of runs, of which only those that carry the memo of a firing are told. */
export interface ListedRuns {
  runs: ListedRun[];
  /** Where the next page begins; undefined where there is none. Any process may go on from there. */
  next: string | undefined;
}

/** A run that has ended, as Temporal's list shows it. */
export interface EndedRun {
  workflowId: string;
  /** The run itself, which need not be the chain's first, nor its last. */
  runId: string;
  memo: FiringMemo;
  /** How it ended; undefined for one that went on as new. */
  outcome: FiringOutcome | undefined;
  closedAt: Date;
}

/** Which page to read of the runs that have ended. */
export interface EndedRunsPage {
  /** Runs that closed then or later. */
  since: Date;
  /** Runs on it at most. */
  size: number;
  /** Where the page before ended; undefined for the first. */
  token: string | undefined;
}

/** A page of runs that have ended, the last one first, of which only those that carry the memo of a firing are told. */
export interface EndedRuns {
  runs: EndedRun[];
  /** Where the next page begins; undefined where there is none. */
  next: string | undefined;
}

/** Which chain is meant: the one behind a workflow ID that began with this run. */
export interface ChainTarget {
  namespace: string;
  workflowId: string;
  firstRunId: string;
}

/** Which run is to be taken up again, and from which of its events on. */
export interface RunReset {
  namespace: string;
  workflowId: string;
  runId: string;
  eventId: number;
  /** The same one resets once. */
  requestId: string;
  reason: string;
  /** The worker version that the new run goes on with; undefined for that of the old one. */
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
  /** A second argument, passed on as a user's converter and codec left it. */
  encoded?: EncodedPayload | undefined;
  /** The same one signals once. */
  requestId: string;
  /** The worker version that the run is moved to before; undefined to leave it where it is. */
  versioningOverride?: VersioningOverride | undefined;
}

/** What Temporal refused or failed, in the terms that recovery needs. */
export class TemporalCallError extends Error {
  override readonly name = 'TemporalCallError';
  constructor(
    message: string,
    /**
     * `rejected`: this request can never succeed, and counts as an attempt. `taken`: a workflow of this ID exists that
     * this request did not start. `busy`: the server has too much to do. `refused`: the server answered, and may take the
     * same request another time. `away`: nobody answered.
     */
    readonly kind: 'rejected' | 'taken' | 'busy' | 'refused' | 'away',
    options: ErrorOptions & {
      /** Known to have had no effect: it never left this process, or was turned away. @default false */
      unsent?: boolean;
      /** Whether the whole namespace is refused or does not answer; else this request alone. @default false */
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

/** The narrow part of a server that a trigger uses, behind `temporal/namespace.ts`. Every method throws only {@link TemporalCallError}. */
export interface TemporalPort {
  /** @returns the first run of the chain; the same one however often the same request is sent */
  startWorkflow(start: WorkflowStart): Promise<{ runId: string }>;
  /** The chain behind a workflow ID, or behind one run of it; undefined when Temporal knows none. */
  describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined>;
  /** Runs that have ended, by the server's list, which may lag behind; undefined where the server cannot list. */
  listEnds(namespace: string, page: EndedRunsPage): Promise<EndedRuns | undefined>;
  /** How long the namespace keeps closed workflows, in milliseconds; undefined where the server does not say. */
  retention(namespace: string): Promise<number | undefined>;
  /** Which step made a run fail; undefined where it did not, or Temporal no longer knows. */
  failedStep(namespace: string, workflowId: string, runId: string): Promise<FailedStep | undefined>;
  /** Where a failed run can be taken up again; undefined where it cannot, or Temporal no longer knows it. */
  resetPoint(namespace: string, workflowId: string, runId: string, eventId?: number): Promise<ResetPoint | undefined>;
  /** @returns the run that goes on from there; undefined when Temporal no longer knows the one to reset */
  reset(reset: RunReset): Promise<{ runId: string } | undefined>;
  /** Send a signal to one run. @returns false when Temporal no longer knows it, or it has ended */
  signal(signal: RunSignal): Promise<boolean>;
  /** Ask a chain to cancel itself. Does nothing where it has ended or is another one. */
  requestCancel(target: ChainTarget, request: { requestId: string; reason: string }): Promise<void>;
  /** End a chain at once. Does nothing where it has ended or is another one. */
  terminate(target: ChainTarget, request: { reason: string }): Promise<void>;
  /** A page of the runs that started at `since` or later; undefined where the server cannot list or has no such namespace. */
  listRuns(namespace: string, page: RunsPage): Promise<ListedRuns | undefined>;
  close(): Promise<void>;
}
