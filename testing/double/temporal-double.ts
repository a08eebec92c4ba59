import { randomUUID } from 'node:crypto';
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
import { checkBehaviour, type DoubleBehaviour, PLAYED_FAILURE, PlayedChain } from './played-chain';
import { type KnownSearchAttributes, refusalOf } from './search-attributes';

/** A fault of a start call. */
export type StartFault =
  /** Temporal refuses it permanently. */
  | { kind: 'rejected' }
  /** It never arrives. */
  | { kind: 'unsent' }
  /** The start succeeds, but its answer is lost. */
  | { kind: 'answer_lost' }
  /** The call times out, and the start succeeds this much later. */
  | {
      kind: 'late';
      /** How much later. */
      milliseconds: number;
    };

/** Options of a double. */
export interface TemporalDoubleOptions {
  /** How long a closed chain is known, in milliseconds. @default 3 days, in every namespace */
  retentionMilliseconds?: number;
  /** Whether {@link TemporalDouble.listRuns} works; it does not on the time-skipping server. @default true */
  canList?: boolean;
  /** Existing namespaces; calls to any other one are refused. @default ['default'] */
  namespaces?: readonly string[];
  /** Custom search attributes of all namespaces; a start with any other one is refused. @default none */
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
 * A simulation of Temporal as a trigger sees it, in this process and with an injected clock. It has request IDs,
 * refused duplicates, chains of several runs, retention, and faults on request. Workflows are simulated, and no
 * workflow code runs.
 *
 * @see `docs/testing.md`
 */
export class TemporalDouble implements TemporalPort {
  /** How long a closed chain is known, in milliseconds. */
  readonly retentionMilliseconds: number;
  /** While set, every call fails, as without a network. */
  isAway = false;
  readonly #canList: boolean;
  readonly #namespaces: Set<string>;
  readonly #searchAttributes: KnownSearchAttributes;
  readonly #behaviours = new Map<string, DoubleBehaviour | ((start: WorkflowStart) => DoubleBehaviour)>();
  readonly #current = new Map<string, PlayedChain>();
  readonly #all: PlayedChain[] = [];
  readonly #faults: StartFault[] = [];
  #underWay: { start: WorkflowStart; landsAt: number }[] = [];

  constructor(
    private readonly clock: Clock,
    options: TemporalDoubleOptions = {},
  ) {
    checkOptions(doubleFields, options);
    this.retentionMilliseconds = options.retentionMilliseconds ?? THREE_DAYS;
    this.#canList = options.canList ?? true;
    this.#namespaces = new Set(options.namespaces ?? [DEFAULTS.namespace]);
    this.#searchAttributes = options.searchAttributes ?? {};
  }

  /**
   * Set the behaviour of a workflow type from now on. A type without a behaviour runs until it is ended explicitly.
   *
   * @throws {InvalidOptionError} for a field that a behaviour does not have
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
    this.#land();
    return this.#all;
  }

  /** The chain with a workflow ID, while it is within its retention. */
  chain(namespace: string, workflowId: string): PlayedChain | undefined {
    this.#land();
    const chain = this.#current.get(keyOf(namespace, workflowId));
    return chain && this.#forgetsAt(chain) > this.#now() ? chain : undefined;
  }

  /** End a chain now. */
  finish(namespace: string, workflowId: string, outcome: FiringOutcome = 'completed'): void {
    this.#known(namespace, workflowId).endAt(this.#now(), outcome);
  }

  /** Let a running chain continue as new now. */
  continueAsNew(namespace: string, workflowId: string): void {
    this.#known(namespace, workflowId).continueAsNew(this.#now());
  }

  /** Reset a running or closed chain. The new run has the former behaviour, or `behaviour`. */
  resetChain(namespace: string, workflowId: string, behaviour?: DoubleBehaviour): void {
    this.#known(namespace, workflowId).reset(this.#now(), behaviour);
  }

  /** Let a running chain stop making progress; undefined lets it go on. */
  stall(namespace: string, workflowId: string, reason: StalledReason | undefined): void {
    this.#known(namespace, workflowId).stalled = reason;
  }

  /**
   * Occupy a workflow ID with another workflow; with `nativeScheduleId` it belongs to a native schedule of Temporal.
   */
  startStranger(
    namespace: string,
    workflowId: string,
    { nativeScheduleId, ...behaviour }: DoubleBehaviour & { nativeScheduleId?: string } = {},
  ): void {
    if (this.chain(namespace, workflowId)) throw new Error(`workflow ID ${workflowId} is taken already`);
    const target = { namespace, workflowId, workflowType: 'stranger' };
    this.#begin(new PlayedChain({ requestId: randomUUID() }, target, behaviour, this.#now(), nativeScheduleId));
  }

  async startWorkflow(start: WorkflowStart): Promise<{ runId: string }> {
    this.#arrive(start.firing.namespace);
    const fault = this.#faults.shift();
    if (fault?.kind === 'rejected') throw new TemporalCallError('refused, as ordered', 'rejected');
    if (fault?.kind === 'unsent') throw new TemporalCallError('lost on its way, as ordered', 'away', { unsent: true });
    if (fault?.kind === 'late') {
      this.#underWay.push({ start, landsAt: this.#now() + fault.milliseconds });
      throw new TemporalCallError('not heard of, as ordered', 'away');
    }
    const chain = this.#start(start, this.#now());
    if (fault?.kind === 'answer_lost') throw new TemporalCallError('its answer was lost, as ordered', 'away');
    return { runId: chain.firstRunId };
  }

  async describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined> {
    this.#arrive(namespace);
    const chain = this.chain(namespace, workflowId);
    const run = chain?.run(this.#now(), runId);
    if (!chain || !run) return undefined;
    const { firstRunId, nativeScheduleId, start, stalled } = chain;
    const state = PlayedChain.stateOf(run, this.#now());
    const { runId: current } = run;
    const memo = start.memo;
    return {
      firstRunId,
      runId: current,
      nativeScheduleId,
      memo,
      stalled: state.closedAt ? undefined : stalled,
      ...state,
    };
  }

  async retention(namespace: string): Promise<number | undefined> {
    this.#arrive(namespace);
    return this.retentionMilliseconds;
  }

  /** Simulated workflows have no steps, so a failed chain names itself. */
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

  /** Simulated workflows have no step to go back to. */
  async resetPoint(namespace: string, _workflowId: string, _runId: string): Promise<ResetPoint | undefined> {
    this.#arrive(namespace);
    return undefined;
  }

  /** Reset on every call, since servers from 1.32 on do not deduplicate resets. */
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
    const runs = this.#listed(namespace).flatMap(({ workflowId, memo, run }) => {
      const { outcome, closedAt } = PlayedChain.stateOf(run, this.#now());
      return closedAt && closedAt >= since ? [{ workflowId, runId: run.runId, memo, outcome, closedAt }] : [];
    });
    return { runs, next: undefined };
  }

  async listRuns(namespace: string, { since, onlyParking }: RunsPage): Promise<ListedRuns | undefined> {
    this.#arrive();
    if (!this.#canList || !this.#namespaces.has(namespace)) return undefined;
    // Simulated workflows have no workers.
    if (onlyParking) return { runs: [], next: undefined };
    const listed = this.#listed(namespace).filter(({ run }) => run.startedAt >= since.getTime());
    const runs = listed.map(({ workflowId, memo, run: { runId, startedAt, endsAt } }) => {
      return { workflowId, runId, memo, startedAt: new Date(startedAt), running: endsAt > this.#now() };
    });
    return { runs, next: undefined };
  }

  /** The runs of all chains of firings within their retention. */
  #listed(namespace: string) {
    return [...this.#current.values()].flatMap((chain) => {
      const { workflowId, start } = chain;
      const { memo } = start;
      if (!memo || this.chain(namespace, workflowId) !== chain) return [];
      return chain.runs(this.#now()).map((run) => ({ workflowId, memo, run }));
    });
  }

  /** Does nothing, since there is no connection. */
  async close(): Promise<void> {}

  /** Let a call arrive, or fail. Delayed earlier calls take effect before it. */
  #arrive(namespace?: string): void {
    this.#land();
    if (this.isAway) throw new TemporalCallError('Temporal is away', 'away', { unsent: true });
    if (namespace === undefined || this.#namespaces.has(namespace)) return;
    const refusal = `Namespace ${namespace} is not found.`;
    throw new TemporalCallError(refusal, 'refused', { unsent: true, ofNamespace: true });
  }

  /**
   * As with REJECT_DUPLICATE: one chain per workflow ID, running or closed. The request that began its run gets it
   * again.
   */
  #start(start: WorkflowStart, at: number): PlayedChain {
    const { namespace, workflowId } = start.firing;
    const known = this.#current.get(keyOf(namespace, workflowId));
    if (known && this.#forgetsAt(known) > at) {
      if (known.answers(start.requestId, at)) return known;
      throw new TemporalCallError(`workflow ID ${workflowId} is taken`, 'taken');
    }
    const { workflowType } = start.action;
    const refusal = refusalOf(start.action.searchAttributes, this.#searchAttributes);
    if (refusal !== undefined) throw new TemporalCallError(refusal, 'rejected');
    const found = this.#behaviours.get(workflowType) ?? { takes: Number.POSITIVE_INFINITY };
    const behaviour = typeof found === 'function' ? found(start) : found;
    const { action, delayMilliseconds } = start;
    const target = { namespace, workflowId, workflowType, action, delayMilliseconds };
    return this.#begin(new PlayedChain(start, target, behaviour, at));
  }

  #begin(chain: PlayedChain): PlayedChain {
    this.#current.set(keyOf(chain.namespace, chain.workflowId), chain);
    this.#all.push(chain);
    return chain;
  }

  /** Apply delayed calls that should have arrived by now. Nobody receives their results. */
  #land(): void {
    const now = this.#now();
    const landing = this.#underWay.filter(({ landsAt }) => landsAt <= now);
    if (landing.length === 0) return;
    this.#underWay = this.#underWay.filter(({ landsAt }) => landsAt > now);
    landing.sort((one, other) => one.landsAt - other.landsAt);
    for (const { start, landsAt } of landing) {
      try {
        this.#start(start, landsAt);
      } catch (error) {
        if (!(error instanceof TemporalCallError)) throw error;
      }
    }
  }

  #meant({ namespace, workflowId, firstRunId }: ChainTarget): PlayedChain | undefined {
    const chain = this.chain(namespace, workflowId);
    return chain?.firstRunId === firstRunId ? chain : undefined;
  }

  #known(namespace: string, workflowId: string): PlayedChain {
    const chain = this.chain(namespace, workflowId);
    if (!chain) throw new Error(`no workflow ${workflowId} in namespace ${namespace}`);
    return chain;
  }

  #forgetsAt(chain: PlayedChain): number {
    return chain.endsAt + this.retentionMilliseconds;
  }

  #now(): number {
    return this.clock.now();
  }
}

function keyOf(namespace: string, workflowId: string): string {
  return `${namespace} ${workflowId}`;
}
