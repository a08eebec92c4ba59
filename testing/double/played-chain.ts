import { randomUUID } from 'node:crypto';
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { z } from 'zod';
import type { FiringOutcome } from '../../core/firing';
import { durationOrNone } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
import type { StalledReason, WorkflowStart } from '../../temporal/port';

/** How a double simulates the workflows of a type. */
export interface DoubleBehaviour {
  /**
   * Duration of each run, by the clock of the double. `Number.POSITIVE_INFINITY` runs until it is ended explicitly.
   *
   * @default 0
   * @format number of milliseconds or ms-formatted string
   */
  takes?: Duration;
  /**
   * Number of runs that fail before one succeeds; `true` for all runs. The retry policy of the action decides whether
   * there is another run after a failure, as on a server. Without a policy, the first failure ends the chain.
   *
   * @default 0
   */
  fails?: number | true;
  /** Number of runs that continue as new, after those that fail. @default 0 */
  continues?: number;
  /** How the chain ends. @default 'completed', and 'failed' with `fails: true` */
  outcome?: Exclude<FiringOutcome, 'unknown'>;
  /** Reaction to a request to cancel: `honour` ends the chain at once. @default 'honour' */
  onCancel?: 'honour' | 'ignore';
}

const behaviourFields = z.strictObject({
  takes: durationOrNone.or(z.literal(Number.POSITIVE_INFINITY)).optional(),
  fails: z.int().min(0).or(z.literal(true)).optional(),
  continues: z.int().min(0).optional(),
  outcome: z.enum(['completed', 'failed', 'timed_out', 'canceled', 'terminated']).optional(),
  onCancel: z.enum(['honour', 'ignore']).optional(),
} satisfies FieldsOf<DoubleBehaviour>);

/**
 * @throws {InvalidOptionError} for an unknown or invalid field, since the double would otherwise behave differently
 *   than intended
 */
export function checkBehaviour(behaviour: unknown): void {
  checkOptions(behaviourFields, behaviour);
}

/** Failure type of simulated failures. */
export const PLAYED_FAILURE = 'Played';

/** The fields of an action that decide how its chain runs. */
type PlayedAction = Pick<WorkflowStart['action'], 'retry' | 'workflowRunTimeout' | 'workflowExecutionTimeout'>;

/** A run of a chain. `continued` means that it continued as new, so it has no outcome. */
interface PlayedRun {
  runId: string;
  startedAt: number;
  /** Infinity until somebody ends it. */
  endsAt: number;
  end: FiringOutcome | 'continued';
  /** Whether a repeated start request returns this chain while this run is the current one. */
  isOfRequest?: boolean;
}

/**
 * A simulated workflow chain. All of its runs are planned when it starts. Instants are epoch milliseconds.
 *
 * @see `docs/testing.md`
 */
export class PlayedChain {
  /** Temporal namespace. */
  readonly namespace: string;
  /** ID of the workflow. */
  readonly workflowId: string;
  /** Workflow type. */
  readonly workflowType: string;
  /** Why it makes no progress; set by a test. */
  stalled: StalledReason | undefined;
  #runs: PlayedRun[];

  constructor(
    /** ID of the start request. */
    readonly start: Pick<WorkflowStart, 'requestId'> & Partial<Pick<WorkflowStart, 'memo'>>,
    private readonly target: {
      namespace: string;
      workflowId: string;
      workflowType: string;
      action?: PlayedAction;
      /** Start delay of its first run. */
      delayMilliseconds?: number;
    },
    /** Its behaviour. */
    readonly behaviour: DoubleBehaviour,
    /** Epoch milliseconds. */
    readonly startedAt: number,
    /** The native schedule of Temporal that started it. */
    readonly nativeScheduleId?: string,
  ) {
    this.namespace = target.namespace;
    this.workflowId = target.workflowId;
    this.workflowType = target.workflowType;
    this.#runs = layOut(behaviour, startedAt, target.action, target.delayMilliseconds);
  }

  /** First run of the chain. */
  get firstRunId(): string {
    return this.#runs[0]!.runId;
  }

  /** When its first run may begin. That is later than its start if it was handed over ahead. Epoch milliseconds. */
  get beginsAt(): number {
    return this.startedAt + (this.target.delayMilliseconds ?? 0);
  }

  /** The runs that have begun by an instant, in order. */
  runs(now: number): PlayedRun[] {
    return this.#runs.filter((run) => run.startedAt <= now);
  }

  /** The run that is current at an instant, or the run with an ID. */
  run(now: number, runId?: string): PlayedRun | undefined {
    const begun = this.runs(now);
    return runId === undefined ? begun.at(-1) : begun.find((run) => run.runId === runId);
  }

  /** The status of a run at an instant. */
  static stateOf(run: PlayedRun, now: number): { outcome: FiringOutcome | undefined; closedAt: Date | undefined } {
    if (run.endsAt > now) return { outcome: undefined, closedAt: undefined };
    return { outcome: run.end === 'continued' ? undefined : run.end, closedAt: new Date(run.endsAt) };
  }

  /**
   * Whether a start request is the one that began the current run. After a retry or continue-as-new, Temporal no longer
   * knows the request.
   */
  answers(requestId: string, now: number): boolean {
    if (this.start.requestId !== requestId) return false;
    const run = this.run(now);
    return run !== undefined && (run.runId === this.firstRunId || run.isOfRequest === true);
  }

  /** When the chain ends, as far as known. */
  get endsAt(): number {
    return this.#runs.at(-1)!.endsAt;
  }

  /** Whether it has ended by an instant, in epoch milliseconds. */
  isOver(now: number): boolean {
    return this.endsAt <= now;
  }

  /** End the whole chain at an instant, regardless of the planned runs. */
  endAt(at: number, end: FiringOutcome): void {
    if (this.isOver(at)) return;
    this.#runs = this.#runs.filter((run) => run.startedAt <= at);
    Object.assign(this.#runs.at(-1)!, { endsAt: at, end });
  }

  /** Request its cancellation at an instant in epoch milliseconds. */
  requestCancel(at: number): void {
    if (this.behaviour.onCancel !== 'ignore') this.endAt(at, 'canceled');
  }

  /** Let its current run continue as new at an instant. The new run ends when the former one would have ended. */
  continueAsNew(at: number): void {
    const run = this.run(at);
    if (!run || run.endsAt <= at) return;
    const next = { ...run, runId: randomUUID(), startedAt: at };
    Object.assign(run, { endsAt: at, end: 'continued' });
    this.#runs.splice(this.#runs.indexOf(run) + 1, 0, next);
  }

  /** Reset the chain: its open run is terminated, and a new run of the same chain begins. @returns the new run */
  reset(at: number, behaviour: DoubleBehaviour = this.behaviour): string {
    // As in servers from 1.32 on, the new run inherits the request ID.
    const isOfRequest = this.answers(this.start.requestId, at);
    this.endAt(at, 'terminated');
    const { retry } = this.target.action ?? {};
    const runs = layOut(behaviour, at, { retry });
    runs[0]!.isOfRequest = isOfRequest;
    this.#runs.push(...runs);
    return runs[0]!.runId;
  }
}

/**
 * Maximum number of planned runs of a chain that is retried forever. The last one does not end, which the ledger cannot
 * distinguish.
 */
const RUNS_AT_MOST = 1_000;

/** The runs of a chain: those that fail, those that continue as new, and the last one. */
function layOut(behaviour: DoubleBehaviour, startedAt: number, action: PlayedAction = {}, delay = 0): PlayedRun[] {
  const { fails = 0, continues = 0 } = behaviour;
  const takes = msToNumber(behaviour.takes ?? 0);
  const runTimeout = action.workflowRunTimeout ?? Number.POSITIVE_INFINITY;
  // Added to the start delay, since the server counts from the arrival of the call.
  const mustEndAt = startedAt + delay + (action.workflowExecutionTimeout ?? Number.POSITIVE_INFINITY);
  const runs: PlayedRun[] = [];
  let [at, waits, failed, continued] = [startedAt, delay, 0, 0];
  for (;;) {
    const willFail = fails === true ? behaviour.outcome === undefined : failed < fails;
    const goesOn = !willFail && continued < continues;
    const natural = at + waits + takes;
    // Added to a run that waits for its time or its retry.
    const endsAt = Math.min(natural, at + waits + runTimeout, mustEndAt);
    const end = endsAt < natural ? 'timed_out' : willFail ? 'failed' : goesOn ? 'continued' : lastEnd(behaviour);
    runs.push({ runId: randomUUID(), startedAt: at, endsAt, end });
    if (endsAt === Number.POSITIVE_INFINITY) return runs;
    if (end === 'continued') [continued, waits] = [continued + 1, 0];
    else {
      failed++;
      const wait = willFail || end === 'timed_out' ? backoff(action.retry, failed) : undefined;
      if (wait === undefined || endsAt + wait > mustEndAt || endsAt === mustEndAt) return runs;
      waits = wait;
    }
    at = endsAt;
    if (runs.length < RUNS_AT_MOST) continue;
    return [...runs, { runId: randomUUID(), startedAt: at, endsAt: Number.POSITIVE_INFINITY, end: 'failed' }];
  }
}

function lastEnd({ outcome, fails }: DoubleBehaviour): FiringOutcome {
  return outcome ?? (fails === true ? 'failed' : 'completed');
}

/** Delay before the next run in milliseconds, by the server's defaults; undefined if there is no next run. */
function backoff(retry: PlayedAction['retry'], attempts: number): number | undefined {
  if (!retry || (retry.maximumAttempts && attempts >= retry.maximumAttempts)) return undefined;
  if (retry.nonRetryableErrorTypes?.includes(PLAYED_FAILURE)) return undefined;
  const first = msToNumber(retry.initialInterval ?? 1_000);
  const longest = msToNumber(retry.maximumInterval ?? 100 * first);
  return Math.min(longest, first * (retry.backoffCoefficient ?? 2) ** (attempts - 1));
}
