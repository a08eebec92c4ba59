import { z } from 'zod';
import { DEFAULTS } from '../../core/defaults';
import { type FiringOutcome, isFailure } from '../../core/firing';
import type { FailedStep } from '../../core/letters/failed-step';
import type { ResetPoint } from '../../core/letters/reset-point';
import { flag, name } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
import {
  type Chain,
  type ChainTarget,
  type EndedRuns,
  type EndedRunsPage,
  type ListedRuns,
  type RunReset,
  type RunSignal,
  type RunsPage,
  type StalledReason,
  TemporalCallError,
  type TemporalPort,
  type WorkflowStart,
} from '../../temporal/port';
import type { Clock } from '../../trigger/clock';
import { checkBehaviour, type DoubleBehaviour } from './behaviour';
import { PLAYED_FAILURE } from './lay-out';
import { PlayedChain } from './played-chain';
import { PlayedChains } from './played-chains';
import { type KnownSearchAttributes, refusalOf } from './search-attributes';

/** A fault that a start call can meet. */
export type StartFault =
  /** Temporal refuses the start finally. */
  | { kind: 'rejected' }
  /** The start never arrives at the server. */
  | { kind: 'unsent' }
  /** The start succeeds, but its answer is lost. */
  | { kind: 'answer_lost' }
  /** The call times out, and the start arrives at the server later. */
  | {
      kind: 'late';
      /** How many milliseconds later the start arrives. */
      milliseconds: number;
    };

/** Options of a double. */
export interface TemporalDoubleOptions {
  /** How long a closed chain is known, in milliseconds. @default 3 days, in every namespace */
  retentionMilliseconds?: number;
  /** Whether `listEnds` and `listRuns` work; on the time-skipping server they do not. @default true */
  canList?: boolean;
  /** The namespaces that exist; a start in any other namespace is refused. @default ['default'] */
  namespaces?: readonly string[];
  /** The custom search attributes of all namespaces; a start with any other attribute is refused. @default none */
  searchAttributes?: KnownSearchAttributes;
}

const doubleFields = z.strictObject({
  retentionMilliseconds: z.number().positive().optional(),
  canList: flag.optional(),
  namespaces: z.array(name).optional(),
  searchAttributes: z.record(name, name).optional(),
} satisfies FieldsOf<TemporalDoubleOptions>);

const THREE_DAYS = 3 * 24 * 60 * 60 * 1_000;

/**
 * A simulation of Temporal, as a trigger sees it, in this process and with an injected clock. The double simulates
 * request IDs, refused duplicates, chains of several runs, retention, and faults on request. Workflows are simulated,
 * and no workflow code runs.
 *
 * @see `docs/testing.md`
 */
export class TemporalDouble implements TemporalPort {
  /** How long a closed chain is known, in milliseconds. */
  readonly retentionMilliseconds: number;
  /** While this is set, every call fails, as without a network. */
  isAway = false;
  readonly #canList: boolean;
  readonly #namespaces: Set<string>;
  readonly #searchAttributes: KnownSearchAttributes;
  readonly #behaviours = new Map<string, DoubleBehaviour | ((start: WorkflowStart) => DoubleBehaviour)>();
  readonly #chains: PlayedChains;
  readonly #faults: StartFault[] = [];

  constructor(
    private readonly clock: Clock,
    options: TemporalDoubleOptions = {},
  ) {
    checkOptions(doubleFields, options);
    this.retentionMilliseconds = options.retentionMilliseconds ?? THREE_DAYS;
    this.#canList = options.canList ?? true;
    this.#namespaces = new Set(options.namespaces ?? [DEFAULTS.namespace]);
    this.#searchAttributes = options.searchAttributes ?? {};
    this.#chains = new PlayedChains(this.clock, this.retentionMilliseconds, (start) => this.#behaviourOf(start));
  }

  /**
   * Set the behaviour of a workflow type from now on. A workflow of a type without a behaviour runs until a test, the
   * trigger or a timeout ends it.
   *
   * @throws {InvalidOptionError} for an unknown or invalid field, unless a function gives the behaviour
   */
  play(workflowType: string, behaviour: DoubleBehaviour | ((start: WorkflowStart) => DoubleBehaviour)): void {
    if (typeof behaviour !== 'function') checkBehaviour(behaviour);
    this.#behaviours.set(workflowType, behaviour);
  }

  /** Whether a workflow type has a behaviour. */
  plays(workflowType: string): boolean {
    return this.#behaviours.has(workflowType);
  }

  /** Register a namespace, so that calls to it succeed from now on. */
  registerNamespace(namespace: string): void {
    this.#namespaces.add(namespace);
  }

  /** Let the next `times` start calls meet this fault, after faults that were requested before. */
  failNextStarts(fault: StartFault, times = 1): void {
    for (let count = 0; count < times; count++) this.#faults.push(fault);
  }

  /** Every chain that was ever started, in order, including those past their retention. */
  chains(): readonly PlayedChain[] {
    return this.#chains.all();
  }

  /** The chain with a workflow ID, while it is within its retention. */
  chain(namespace: string, workflowId: string): PlayedChain | undefined {
    return this.#chains.find(namespace, workflowId);
  }

  /** End a chain now. */
  finish(namespace: string, workflowId: string, outcome: FiringOutcome = 'completed'): void {
    this.#chains.known(namespace, workflowId).endAt(this.#now(), outcome);
  }

  /** Let a running chain continue as new now. */
  continueAsNew(namespace: string, workflowId: string): void {
    this.#chains.known(namespace, workflowId).continueAsNew(this.#now());
  }

  /** Reset a running or closed chain. The new run has the former behaviour, or `behaviour`. */
  resetChain(namespace: string, workflowId: string, behaviour?: DoubleBehaviour): void {
    this.#chains.known(namespace, workflowId).reset(this.#now(), behaviour);
  }

  /** Let `describeChain` report that a chain makes no progress, for this reason; undefined ends that. */
  stall(namespace: string, workflowId: string, reason: StalledReason | undefined): void {
    this.#chains.known(namespace, workflowId).stalled = reason;
  }

  async startWorkflow(start: WorkflowStart): Promise<{ runId: string }> {
    this.#arrive(start.firing.namespace);
    const fault = this.#faults.shift();
    if (fault?.kind === 'rejected') throw new TemporalCallError('refused, as ordered', 'rejected');
    if (fault?.kind === 'unsent') throw new TemporalCallError('lost on its way, as ordered', 'away', { unsent: true });
    if (fault?.kind === 'late') {
      this.#chains.startLater(start, this.#now() + fault.milliseconds);
      throw new TemporalCallError('not heard of, as ordered', 'away');
    }
    const chain = this.#chains.start(start, this.#now());
    if (fault?.kind === 'answer_lost') throw new TemporalCallError('its answer was lost, as ordered', 'away');
    return { runId: chain.firstRunId };
  }

  async describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined> {
    this.#arrive(namespace);
    const chain = this.chain(namespace, workflowId);
    const run = chain?.run(this.#now(), runId);
    if (!chain || !run) return undefined;
    const { firstRunId, start, stalled } = chain;
    const state = PlayedChain.stateOf(run, this.#now());
    const { runId: current } = run;
    const memo = start.memo;
    return {
      firstRunId,
      runId: current,
      nativeScheduleId: undefined,
      memo,
      stalled: state.closedAt ? undefined : stalled,
      ...state,
    };
  }

  async retention(namespace: string): Promise<number | undefined> {
    this.#arrive(namespace);
    return this.retentionMilliseconds;
  }

  /** Simulated workflows have no steps, so the result has only the run and its failure. */
  async failedStep(namespace: string, workflowId: string, runId: string): Promise<FailedStep | undefined> {
    this.#arrive(namespace);
    const chain = this.chain(namespace, workflowId);
    const run = chain?.run(this.#now(), runId);
    const outcome = run && PlayedChain.stateOf(run, this.#now()).outcome;
    if (!outcome || !isFailure(outcome)) return undefined;
    return {
      runId: run.runId,
      failure: { type: PLAYED_FAILURE, message: `the double of '${chain!.workflowType}' ${outcome}` },
    };
  }

  /** Simulated workflows have no step to which a reset could go back. */
  async resetPoint(namespace: string, _workflowId: string, _runId: string): Promise<ResetPoint | undefined> {
    this.#arrive(namespace);
    return undefined;
  }

  /** Every call resets the chain, since servers from 1.32 on do not deduplicate resets. */
  async reset({ namespace, workflowId }: RunReset): Promise<{ runId: string } | undefined> {
    this.#arrive(namespace);
    const chain = this.chain(namespace, workflowId);
    if (!chain) return undefined;
    return { runId: chain.reset(this.#now()) };
  }

  async signal({ namespace, workflowId, runId }: RunSignal): Promise<boolean> {
    this.#arrive(namespace);
    const run = this.chain(namespace, workflowId)?.run(this.#now(), runId);
    return run !== undefined && run.endsAt > this.#now();
  }

  async requestCancel(target: ChainTarget): Promise<void> {
    this.#arrive(target.namespace);
    this.#meant(target)?.requestCancel(this.#now());
  }

  async terminate(target: ChainTarget): Promise<void> {
    this.#arrive(target.namespace);
    this.#meant(target)?.endAt(this.#now(), 'terminated');
  }

  async listEnds(namespace: string, { since }: EndedRunsPage): Promise<EndedRuns | undefined> {
    this.#arrive(namespace);
    if (!this.#canList) return undefined;
    const runs = this.#chains.runs(namespace).flatMap(({ workflowId, memo, run }) => {
      const { outcome, closedAt } = PlayedChain.stateOf(run, this.#now());
      return closedAt && closedAt >= since ? [{ workflowId, runId: run.runId, memo, outcome, closedAt }] : [];
    });
    return { runs, next: undefined };
  }

  async listRuns(namespace: string, { since, onlyParking }: RunsPage): Promise<ListedRuns | undefined> {
    this.#arrive();
    if (!this.#canList || !this.#namespaces.has(namespace)) return undefined;
    // Simulated workflows have no workers, so no step is parked.
    if (onlyParking) return { runs: [], next: undefined };
    const listed = this.#chains.runs(namespace).filter(({ run }) => run.startedAt >= since.getTime());
    const runs = listed.map(({ workflowId, memo, run: { runId, startedAt, endsAt } }) => {
      return { workflowId, runId, memo, startedAt: new Date(startedAt), running: endsAt > this.#now() };
    });
    return { runs, next: undefined };
  }

  /** There is no connection to close. */
  async close(): Promise<void> {}

  /** Earlier calls that were delayed take effect first. */
  #arrive(namespace?: string): void {
    this.#chains.land();
    if (this.isAway) throw new TemporalCallError('Temporal is away', 'away', { unsent: true });
    if (namespace === undefined || this.#namespaces.has(namespace)) return;
    const refusal = `Namespace ${namespace} is not found.`;
    throw new TemporalCallError(refusal, 'refused', { unsent: true, ofNamespace: true });
  }

  #behaviourOf(start: WorkflowStart): DoubleBehaviour {
    const { searchAttributes, workflowType } = start.action;
    const refusal = refusalOf(searchAttributes, this.#searchAttributes);
    if (refusal !== undefined) throw new TemporalCallError(refusal, 'rejected');
    const found = this.#behaviours.get(workflowType) ?? { takes: Number.POSITIVE_INFINITY };
    return typeof found === 'function' ? found(start) : found;
  }

  #meant({ namespace, workflowId, firstRunId }: ChainTarget): PlayedChain | undefined {
    const chain = this.chain(namespace, workflowId);
    return chain?.firstRunId === firstRunId ? chain : undefined;
  }

  #now(): number {
    return this.clock.now();
  }
}
