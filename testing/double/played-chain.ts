import { randomUUID } from 'node:crypto';
import type { FiringOutcome } from '../../core/firing';
import type { StalledReason, WorkflowStart } from '../../temporal/port';
import type { DoubleBehaviour } from './behaviour';
import { layOut, type PlayedRun } from './lay-out';

/**
 * A simulated workflow chain. All runs of the chain are planned when it starts. Instants are epoch milliseconds.
 *
 * @see `docs/testing.md`
 */
export class PlayedChain {
  /** The Temporal namespace of the chain. */
  readonly namespace: string;
  /** The workflow ID of the chain. */
  readonly workflowId: string;
  /** The workflow type of the chain. */
  readonly workflowType: string;
  /** Why `describeChain` reports that the chain makes no progress; set by a test. */
  stalled: StalledReason | undefined;
  #runs: PlayedRun[];

  constructor(
    /** The start call that started the chain. */
    readonly start: WorkflowStart,
    /** How the chain's workflow is simulated. */
    readonly behaviour: DoubleBehaviour,
    /** When the chain started, in epoch milliseconds. */
    readonly startedAt: number,
  ) {
    this.namespace = start.firing.namespace;
    this.workflowId = start.firing.workflowId;
    this.workflowType = start.action.workflowType;
    this.#runs = layOut(behaviour, startedAt, start.action, { delay: start.delayMilliseconds });
  }

  /** The run ID of the chain's first run. */
  get firstRunId(): string {
    return this.#runs[0]!.runId;
  }

  /**
   * When the chain's first run may begin. For a firing that was handed over ahead, this is later than the start of the
   * chain. The instant is in epoch milliseconds.
   */
  get beginsAt(): number {
    return this.startedAt + this.start.delayMilliseconds;
  }

  /** The runs that have begun at an instant, in order. */
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

  /** The planned end of the chain in epoch milliseconds; infinity if no end is planned. */
  get endsAt(): number {
    return this.#runs.at(-1)!.endsAt;
  }

  /** Whether the chain has ended at an instant, which is given in epoch milliseconds. */
  isOver(now: number): boolean {
    return this.endsAt <= now;
  }

  /** End the whole chain at an instant, whatever runs are planned. */
  endAt(at: number, end: FiringOutcome): void {
    if (this.isOver(at)) return;
    this.#runs = this.#runs.filter((run) => run.startedAt <= at);
    Object.assign(this.#runs.at(-1)!, { endsAt: at, end });
  }

  /** Request that the chain is cancelled at an instant, which is given in epoch milliseconds. */
  requestCancel(at: number): void {
    if (this.behaviour.onCancel !== 'ignore') this.endAt(at, 'canceled');
  }

  /**
   * Let the current run of the chain continue as new at an instant. The new run ends when the former one would have
   * ended. The runs that were planned after it stay as they were.
   */
  continueAsNew(at: number): void {
    const run = this.run(at);
    if (!run || run.endsAt <= at) return;
    const next = { ...run, runId: randomUUID(), startedAt: at, attempt: 1, isOfRequest: false };
    Object.assign(run, { endsAt: at, end: 'continued' });
    this.#runs.splice(this.#runs.indexOf(run) + 1, 0, next);
  }

  /** Reset the chain: its open run is terminated, and a new run of the chain begins. @returns the new run's ID */
  reset(at: number, behaviour: DoubleBehaviour = this.behaviour): string {
    // As in servers from 1.32 on, the new run has the request ID of the old one.
    const isOfRequest = this.answers(this.start.requestId, at);
    const firstAttempt = this.run(at)?.attempt;
    this.endAt(at, 'terminated');
    const runs = layOut(behaviour, at, { retry: this.start.action.retry }, { firstAttempt });
    runs[0]!.isOfRequest = isOfRequest;
    this.#runs.push(...runs);
    return runs[0]!.runId;
  }
}
