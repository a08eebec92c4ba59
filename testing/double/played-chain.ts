import { randomUUID } from 'node:crypto';
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import type { FiringOutcome } from '../../core/firing';
import type { StalledReason, WorkflowStart } from '../../temporal/port';

/** How a double plays the workflows of a type. */
export interface DoubleBehaviour {
  /**
   * How long each run takes, by the clock of the double; `Number.POSITIVE_INFINITY` runs until it is told to end.
   *
   * @default 0
   * @format number of milliseconds or ms-formatted string
   */
  takes?: Duration;
  /** Runs of a chain that fail before one does not, as with a workflow retry; `true` for all of it. @default 0 */
  fails?: number | true;
  /** Runs that continue as new, after those that fail. @default 0 */
  continues?: number;
  /** How the chain ends. @default 'completed', and 'failed' with `fails: true` */
  outcome?: Exclude<FiringOutcome, 'unknown'>;
  /** What a request to cancel does: `honour` ends the chain at once. @default 'honour' */
  onCancel?: 'honour' | 'ignore';
}

/** A run of a chain. `continued` is one that went on as new, which has no outcome. */
interface PlayedRun {
  runId: string;
  startedAt: number;
  /** Infinity while nobody ends it. */
  endsAt: number;
  end: FiringOutcome | 'continued';
}

/**
 * A workflow chain that is played by the clock: its runs are laid out when it starts. Instants are epoch milliseconds.
 *
 * @see `docs/testing.md`
 */
export class PlayedChain {
  /** Temporal namespace. */
  readonly namespace: string;
  /** ID of the workflow. */
  readonly workflowId: string;
  /** Name of the workflow. */
  readonly workflowType: string;
  /** Why it gets nowhere; set by a test. */
  stalled: StalledReason | undefined;
  #runs: PlayedRun[];

  constructor(
    /** The request that started it. */
    readonly start: Pick<WorkflowStart, 'requestId'> & Partial<Pick<WorkflowStart, 'memo'>>,
    target: { namespace: string; workflowId: string; workflowType: string; timeouts?: WorkflowStart['action'] },
    private readonly behaviour: DoubleBehaviour,
    /** Epoch milliseconds. */
    readonly startedAt: number,
    /** The schedule of Temporal's own that started it. */
    readonly nativeScheduleId?: string,
  ) {
    this.namespace = target.namespace;
    this.workflowId = target.workflowId;
    this.workflowType = target.workflowType;
    this.#runs = layOut(behaviour, startedAt, target.timeouts);
  }

  /** First run of the chain. */
  get firstRunId(): string {
    return this.#runs[0]!.runId;
  }

  /** The runs that have begun by an instant, in order. */
  runs(now: number): PlayedRun[] {
    return this.#runs.filter((run) => run.startedAt <= now);
  }

  /** The run that is current at an instant, or one by its ID. */
  run(now: number, runId?: string): PlayedRun | undefined {
    const begun = this.runs(now);
    return runId === undefined ? begun.at(-1) : begun.find((run) => run.runId === runId);
  }

  /** How a run looks at an instant. */
  static stateOf(run: PlayedRun, now: number): { outcome: FiringOutcome | undefined; closedAt: Date | undefined } {
    if (run.endsAt > now) return { outcome: undefined, closedAt: undefined };
    return { outcome: run.end === 'continued' ? undefined : run.end, closedAt: new Date(run.endsAt) };
  }

  /** Whether a request is the one that began the current run. After a retry or a continue-as-new Temporal knows it no more. */
  answers(requestId: string, now: number): boolean {
    return this.start.requestId === requestId && this.run(now)?.runId === this.firstRunId;
  }

  /** When the chain ends, as far as it is known. */
  get endsAt(): number {
    return this.#runs.at(-1)!.endsAt;
  }

  /** Whether it has ended by an instant, in epoch milliseconds. */
  isOver(now: number): boolean {
    return this.endsAt <= now;
  }

  /** The whole chain ends at an instant, whatever was laid out. */
  endAt(at: number, end: FiringOutcome): void {
    if (this.isOver(at)) return;
    this.#runs = this.#runs.filter((run) => run.startedAt <= at);
    Object.assign(this.#runs.at(-1)!, { endsAt: at, end });
  }

  /** Ask it to cancel itself, at an instant in epoch milliseconds. */
  requestCancel(at: number): void {
    if (this.behaviour.onCancel !== 'ignore') this.endAt(at, 'canceled');
  }

  /** A reset: what runs is terminated, and a new run of the same chain begins. */
  reset(at: number, behaviour: DoubleBehaviour = this.behaviour): void {
    this.endAt(at, 'terminated');
    this.#runs.push(...layOut(behaviour, at));
  }
}

/** The runs of a chain: those that fail, those that continue as new, and the one that ends it. */
function layOut(behaviour: DoubleBehaviour, startedAt: number, timeouts?: WorkflowStart['action']): PlayedRun[] {
  const { fails = 0, continues = 0 } = behaviour;
  const takes = msToNumber(behaviour.takes ?? 0);
  const runTimeout = timeouts?.workflowRunTimeout ?? Number.POSITIVE_INFINITY;
  const mustEndAt = startedAt + (timeouts?.workflowExecutionTimeout ?? Number.POSITIVE_INFINITY);
  const ends: PlayedRun['end'][] = [
    ...Array<'failed'>(fails === true ? 0 : fails).fill('failed'),
    ...Array<'continued'>(continues).fill('continued'),
    behaviour.outcome ?? (fails === true ? 'failed' : 'completed'),
  ];
  const runs: PlayedRun[] = [];
  let at = startedAt;
  for (const end of ends) {
    const endsAt = Math.min(at + takes, at + runTimeout, mustEndAt);
    const timedOut = endsAt < at + takes;
    runs.push({ runId: randomUUID(), startedAt: at, endsAt, end: timedOut ? 'timed_out' : end });
    if (timedOut || endsAt === Number.POSITIVE_INFINITY) break;
    at = endsAt;
  }
  return runs;
}
