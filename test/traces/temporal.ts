import { type FiringOutcome, isFailure } from '../../core/firing';
import type { FailedStep, ParkedStep } from '../../core/letters/failed-step';
import type { ParkDecision } from '../../core/letters/park';
import type { ResetPoint } from '../../core/letters/reset-point';
import { hash32 } from '../../core/occurrences/hash';
import type { EndedRun, FiringMemo, RunSignal } from '../../temporal/port';
import { TemporalDouble } from '../../testing';
import { PlayedChain } from '../../testing/double/played-chain';
import type { Clock } from '../../trigger/clock';

export type { PlayedChain } from '../../testing/double/played-chain';

/** A development server keeps closed workflows for a day. */
const RETENTION_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Delay until an ended workflow appears in lists. */
const LISTED_LATE_MILLISECONDS = [0, 0, 3_000, 20_000, 60_000];

/** Started, its task scheduled, started and completed; then its child. */
const TASK_EVENT = 4;
const CHILD_EVENT = 5;

function childOf({ workflowId }: PlayedChain) {
  return { workflowType: 'child', workflowId: `${workflowId}-child` };
}

/** How a chain is by now. */
export interface ChainState {
  /** Undefined while it runs, whichever run of it. */
  outcome: FiringOutcome | undefined;
  /** Epoch milliseconds. */
  closedAt: number | undefined;
  /** First run first; a retry, a continue-as-new and a reset each add one. */
  runIds: string[];
}

/** A step that a run has parked. */
interface WaitingStep {
  step: ParkedStep;
  letterId: string | undefined;
  runId: string;
  /** Undefined until it has received a decision. */
  decided: ParkDecision['decision'] | undefined;
}

/** The Temporal of a trace: the kit's double, plus functions for the details of a chain. */
export class TracedTemporal extends TemporalDouble {
  constructor(private readonly time: Clock) {
    super(time, { retentionMilliseconds: RETENTION_MILLISECONDS });
  }

  /** By the workflow ID some are listed late: later than a whole list reads back, too. */
  override async listEnds(...args: Parameters<TemporalDouble['listEnds']>) {
    const listed = await super.listEnds(...args);
    const now = this.time.now();
    const isShown = ({ workflowId, closedAt }: EndedRun) =>
      now - closedAt.getTime() >= LISTED_LATE_MILLISECONDS[hash32(workflowId) % LISTED_LATE_MILLISECONDS.length]!;
    return listed && { ...listed, runs: listed.runs.filter(isShown) };
  }

  /** How a chain is by now; also one that Temporal has forgotten. */
  stateOf(chain: PlayedChain): ChainState {
    const now = this.time.now();
    const runs = chain.runs(now);
    const { outcome, closedAt } = PlayedChain.stateOf(runs.at(-1)!, now);
    return { outcome, closedAt: closedAt?.getTime(), runIds: runs.map(({ runId }) => runId) };
  }

  isRunning(chain: PlayedChain): boolean {
    return !chain.isOver(this.time.now());
  }

  /** Whether Temporal still has it. */
  knows(chain: PlayedChain): boolean {
    return this.chain(chain.namespace, chain.workflowId) === chain;
  }

  /** The last step that each chain has parked. */
  readonly parked = new Map<PlayedChain, WaitingStep>();
  /** Chains of these workflow types continue when a parked step is told to fail. */
  readonly catching = new Set<string>();
  /** Steps that made their runs fail, by run. */
  readonly #failedSteps = new Map<string, FailedStep>();
  /** Chains of these workflow types fail in a child workflow of theirs. */
  readonly failingInChild = new Set<string>();

  override async failedStep(namespace: string, workflowId: string, runId: string): Promise<FailedStep | undefined> {
    const step = await super.failedStep(namespace, workflowId, runId);
    const chain = this.chain(namespace, workflowId);
    return step && { ...step, ...(chain && this.stepOf(chain, runId)) };
  }

  /** What made a run of a chain fail; undefined where the workflow failed by itself. */
  stepOf(chain: PlayedChain, runId: string): Partial<FailedStep> | undefined {
    const parked = this.#failedSteps.get(runId);
    if (parked || !this.failingInChild.has(chain.workflowType)) return parked;
    return { eventId: CHILD_EVENT, childWorkflow: childOf(chain) };
  }

  /** Whether a step of the chain's current run waits for a person. */
  isParked(chain: PlayedChain): boolean {
    const step = this.parked.get(chain);
    return step?.decided === undefined && step?.runId === this.#currentRun(chain) && this.isRunning(chain);
  }

  /** The step that a chain will park next: the redriven one, or a new one. */
  nextStep(chain: PlayedChain): { step: ParkedStep; letterId: string | undefined } {
    const former = this.parked.get(chain);
    const runId = this.#currentRun(chain);
    const isSame = former?.runId === runId;
    const isTriedAgain = isSame && former?.decided === 'redrive';
    const burial = isSame ? former!.step.burial + 1 : 1;
    const activityId = isTriedAgain ? former!.step.activityId! : `${burial}`;
    const failure = { type: 'Declined', message: 'no' };
    const retryState = 'MAXIMUM_ATTEMPTS_REACHED';
    const step = { runId, eventId: 10 + burial, activityType: 'charge', activityId, retryState, failure, burial };
    return { step, letterId: isTriedAgain ? former!.letterId : undefined };
  }

  /** The step waits for what a person decides of its letter; without one it fails. */
  park(chain: PlayedChain, step: ParkedStep, letterId: string | undefined): void {
    const waiting = { step, letterId, runId: step.runId!, decided: undefined };
    if (letterId !== undefined) this.parked.set(chain, waiting);
    else this.#fail(chain, step);
  }

  override async signal(signal: RunSignal): Promise<boolean> {
    const isTold = await super.signal(signal);
    const chain = this.chain(signal.namespace, signal.workflowId);
    const waiting = chain && this.parked.get(chain);
    const { decision, burial, letterId } = signal.argument as ParkDecision;
    if (!isTold || !chain || !waiting || !this.isParked(chain)) return isTold;
    if (waiting.step.burial !== burial || waiting.letterId !== letterId) return true;
    waiting.decided = decision;
    if (decision === 'discard' && !this.catching.has(chain.workflowType)) this.#fail(chain, waiting.step);
    return true;
  }

  #fail(chain: PlayedChain, step: ParkedStep): void {
    this.#failedSteps.set(step.runId!, step);
    this.finish(chain.namespace, chain.workflowId, 'failed');
  }

  #currentRun(chain: PlayedChain): string {
    return chain.run(this.time.now())!.runId;
  }

  /**
   * Back to before the failed child, which then runs again; or to the only task of a workflow that failed by itself.
   */
  override async resetPoint(namespace: string, workflowId: string, runId: string): Promise<ResetPoint | undefined> {
    await super.resetPoint(namespace, workflowId, runId);
    const chain = this.chain(namespace, workflowId);
    const run = chain?.run(this.time.now(), runId);
    const { outcome } = run ? PlayedChain.stateOf(run, this.time.now()) : {};
    if (!chain || !outcome || !isFailure(outcome)) return undefined;
    if (!this.failingInChild.has(chain.workflowType)) return { eventId: TASK_EVENT, step: undefined, siblings: [] };
    const child = { kind: 'childWorkflow' as const, name: childOf(chain).workflowType, id: childOf(chain).workflowId };
    return { eventId: TASK_EVENT, step: child, siblings: [child] };
  }

  running(): PlayedChain[] {
    return this.chains().filter((chain) => this.isRunning(chain));
  }
}

/** The firing that a chain was started for; nothing else is started in a trace. */
export function memoOf(chain: PlayedChain): FiringMemo {
  return chain.start.memo;
}
