import { randomUUID } from 'node:crypto';
import type { FailedStep } from '../../core/failed-step';
import { type FiringOutcome, isFailure } from '../../core/firing';
import {
  type Chain,
  type ChainTarget,
  type FiringMemo,
  type ListedRuns,
  type RunReset,
  type RunSignal,
  type RunsPage,
  TemporalCallError,
  type TemporalPort,
  type WorkflowStart,
} from '../../temporal/port';
import type { Clock } from '../../trigger/clock';

/** How workflows of one type behave in the double. */
export interface DoubleBehaviour {
  /** How long a run takes, milliseconds; infinite runs until it is told to end. @default 0 */
  takesMilliseconds?: number;
  /** How it ends by itself. @default 'completed' */
  outcome?: FiringOutcome;
  /** Goes on when it is asked to cancel itself. @default false */
  ignoresCancel?: boolean;
}

/** A workflow chain in the double. */
export interface DoubleChain {
  namespace: string;
  workflowId: string;
  workflowType: string;
  requestId: string;
  memo: FiringMemo;
  /** First run first; a retry, a continue-as-new and a reset each add one. */
  runIds: string[];
  /** Epoch milliseconds, as all instants here. */
  startedAt: number;
  /** When it ends by itself. */
  endsAt: number;
  endsAs: FiringOutcome;
  ignoresCancel: boolean;
  outcome: FiringOutcome | undefined;
  closedAt: number | undefined;
}

/** Temporal keeps closed workflows of a development server for a day. */
const RETENTION_MILLISECONDS = 24 * 60 * 60 * 1_000;

/**
 * Temporal as a trigger sees it, in this process and on any clock: a request ID starts one chain however often it is
 * sent, a workflow ID is never used twice while Temporal knows it, and everything that may happen to a chain or a call
 * can be ordered. The same traces run on it and on a real server, which shows that both answer alike.
 */
export class TemporalDouble implements TemporalPort {
  readonly #chains = new Map<string, DoubleChain>();
  readonly #behaviours = new Map<string, DoubleBehaviour>();
  #away = false;
  /** Starts whose answer was lost, and that have not reached the server either. */
  #underWay: (() => void)[] = [];
  #losing: 'nothing' | 'answer' | 'request' = 'nothing';

  constructor(
    private readonly clock: Clock,
    private readonly retentionMilliseconds = RETENTION_MILLISECONDS,
  ) {}

  /** Say how workflows of a type behave; those that were started before go on as they were. */
  behave(workflowType: string, behaviour: DoubleBehaviour): void {
    this.#behaviours.set(workflowType, behaviour);
  }

  /** Every chain that Temporal still knows, as it is now. */
  chains(): DoubleChain[] {
    this.#settle();
    return [...this.#chains.values()];
  }

  /** The chain behind a workflow ID. */
  chain(namespace: string, workflowId: string): DoubleChain | undefined {
    this.#settle();
    return this.#chains.get(nameOf(namespace, workflowId));
  }

  /** No call is answered from now on, or every one again. */
  setAway(away: boolean): void {
    this.#away = away;
  }

  /** The next start reaches the server, and its answer gets lost; or it is still under way until {@link land}. */
  loseNext(what: 'answer' | 'request'): void {
    this.#losing = what;
  }

  /** Starts that are under way reach the server. */
  land(): void {
    for (const arrive of this.#underWay.splice(0)) arrive();
  }

  /** End a running chain. */
  finish(chain: DoubleChain, outcome: FiringOutcome): void {
    this.#close(chain, outcome, this.clock.now());
  }

  /** The chain goes on in a new run: a workflow's retry, or continue-as-new. */
  goOn(chain: DoubleChain): void {
    chain.runIds.push(randomUUID());
  }

  /** A person resets the chain: a new run of it goes on, until it is told to end. */
  resetByHand(chain: DoubleChain): void {
    chain.runIds.push(randomUUID());
    Object.assign(chain, { outcome: undefined, closedAt: undefined, endsAt: Number.POSITIVE_INFINITY });
  }

  async startWorkflow(start: WorkflowStart): Promise<{ runId: string }> {
    this.#answer();
    const losing = this.#losing;
    this.#losing = 'nothing';
    if (losing === 'request') {
      this.#underWay.push(() => this.#start(start));
      throw new TemporalCallError('the deadline passed', 'away');
    }
    const runId = this.#start(start);
    if (losing === 'answer') throw new TemporalCallError('the deadline passed', 'away');
    if (runId === undefined) throw new TemporalCallError('Workflow execution already started', 'taken');
    return { runId };
  }

  async describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined> {
    this.#answer();
    const chain = this.chain(namespace, workflowId);
    if (!chain || (runId !== undefined && !chain.runIds.includes(runId))) return undefined;
    return {
      firstRunId: chain.runIds[0]!,
      runId: chain.runIds.at(-1)!,
      outcome: chain.outcome,
      closedAt: chain.closedAt === undefined ? undefined : new Date(chain.closedAt),
      memo: chain.memo,
      nativeScheduleId: undefined,
      stalled: undefined,
    };
  }

  async failedStep(namespace: string, workflowId: string): Promise<FailedStep | undefined> {
    this.#answer();
    const chain = this.chain(namespace, workflowId);
    const outcome = chain?.outcome;
    if (!outcome || !isFailure(outcome)) return undefined;
    return { runId: chain.runIds.at(-1)!, failure: { type: 'Double', message: `it ${outcome}` } };
  }

  async retention(): Promise<number | undefined> {
    this.#answer();
    return this.retentionMilliseconds;
  }

  /** A run of the double has no steps to go back to. */
  async resetPoint(): Promise<undefined> {
    this.#answer();
  }

  async reset({ namespace, workflowId }: RunReset): Promise<{ runId: string } | undefined> {
    this.#answer();
    const chain = this.chain(namespace, workflowId);
    if (!chain) return undefined;
    this.resetByHand(chain);
    return { runId: chain.runIds.at(-1)! };
  }

  async signal({ namespace, workflowId }: RunSignal): Promise<boolean> {
    this.#answer();
    const chain = this.chain(namespace, workflowId);
    return chain !== undefined && chain.outcome === undefined;
  }

  async requestCancel(target: ChainTarget): Promise<void> {
    this.#answer();
    const chain = this.#targeted(target);
    if (chain && !chain.ignoresCancel) this.finish(chain, 'canceled');
  }

  async terminate(target: ChainTarget): Promise<void> {
    this.#answer();
    const chain = this.#targeted(target);
    if (chain) this.finish(chain, 'terminated');
  }

  /** Looked up one by one. */
  async listStates(): Promise<undefined> {}

  async listRuns(namespace: string, { since }: RunsPage): Promise<ListedRuns> {
    this.#answer();
    const chains = this.chains().filter((chain) => chain.namespace === namespace && chain.startedAt >= since.getTime());
    const runs = chains.flatMap(({ workflowId, runIds, memo, startedAt, outcome }) =>
      runIds.map((runId) => ({
        workflowId,
        runId,
        memo,
        startedAt: new Date(startedAt),
        running: outcome === undefined && runId === runIds.at(-1),
      })),
    );
    return { runs, next: undefined };
  }

  async close(): Promise<void> {}

  /** @throws {TemporalCallError} while away */
  #answer(): void {
    if (this.#away) throw new TemporalCallError('No connection established', 'away', { unsent: true });
  }

  /** The first run; undefined where the workflow ID is somebody else's. */
  #start({ firing, action, requestId, memo }: WorkflowStart): string | undefined {
    const known = this.chain(firing.namespace, firing.workflowId);
    // The request is known by the run that it began: a retry, a continue-as-new and a reset leave it behind.
    if (known) return known.requestId === requestId && known.runIds.length === 1 ? known.runIds[0] : undefined;
    const {
      takesMilliseconds = 0,
      outcome = 'completed',
      ignoresCancel = false,
    } = this.#behaviours.get(action.workflowType) ?? {};
    const startedAt = this.clock.now();
    const runId = randomUUID();
    this.#chains.set(nameOf(firing.namespace, firing.workflowId), {
      namespace: firing.namespace,
      workflowId: firing.workflowId,
      workflowType: action.workflowType,
      requestId,
      memo,
      runIds: [runId],
      startedAt,
      endsAt: startedAt + takesMilliseconds,
      endsAs: outcome,
      ignoresCancel,
      outcome: undefined,
      closedAt: undefined,
    });
    return runId;
  }

  /** Running, and begun with this run. */
  #targeted({ namespace, workflowId, firstRunId }: ChainTarget): DoubleChain | undefined {
    const chain = this.chain(namespace, workflowId);
    return chain?.runIds[0] === firstRunId && chain.outcome === undefined ? chain : undefined;
  }

  #close(chain: DoubleChain, outcome: FiringOutcome, at: number): void {
    if (chain.outcome === undefined) Object.assign(chain, { outcome, closedAt: at });
  }

  /** Bring every chain to the present: what has run its time ends, what ended long ago is forgotten. */
  #settle(): void {
    const now = this.clock.now();
    for (const [name, chain] of this.#chains) {
      if (chain.endsAt <= now) this.#close(chain, chain.endsAs, chain.endsAt);
      if (chain.closedAt !== undefined && chain.closedAt + this.retentionMilliseconds < now) this.#chains.delete(name);
    }
  }
}

function nameOf(namespace: string, workflowId: string): string {
  return `${namespace} ${workflowId}`;
}
