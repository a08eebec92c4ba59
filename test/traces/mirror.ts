import { randomUUID } from 'node:crypto';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { FiringOutcome } from '../../core/firing';
import type { FailedStep } from '../../core/letters/failed-step';
import { CallLease } from '../../temporal/call-lease';
import type { Chain, ChainTarget, RunReset, WorkflowStart } from '../../temporal/port';
import type { DoubleBehaviour } from '../../testing';
import type { Clock } from '../../trigger/clock';
import { answerOf, compare, given, isAway, kindOf, summaryOf } from './answers';
import { ended, letBegin, type RealTemporal, resetReal, tellRun } from './real-temporal';
import { type PlayedChain, TracedTemporal } from './temporal';
import { ready, tell, told, toldIgnoringCancel } from './workflows';

/**
 * The double, with a real server beside it. Every call goes to both, every event of a chain happens in both, and both
 * must give the same answer. The server has its own clock, so instants are not compared. Of calls that are made at the
 * same time, one waits for the other: what the double has begun, the server has only when the call is over.
 */
export class MirroredTemporal extends TracedTemporal {
  /** Runs of the server by the double's. */
  readonly #runs = new Map<string, string>();
  /** Ends that the server has received, or will receive by pending orders. */
  readonly #ended = new Set<PlayedChain>();
  readonly #reset = new Set<PlayedChain>();
  /** Ends that a person caused, which no retry policy retries. */
  readonly #endedByPerson = new Set<PlayedChain>();
  /** How many runs of a chain the server has, or will have by pending orders. */
  readonly #runsOf = new Map<PlayedChain, number>();
  #orders: (() => Promise<void>)[] = [];
  /** One after the other, whoever asks for them. */
  #working: Promise<void> = Promise.resolve();
  /** The last of the calls, which the next one waits for. */
  #calling: Promise<unknown> = Promise.resolve();

  constructor(
    clock: Clock,
    private readonly real: RealTemporal,
  ) {
    super(clock);
  }

  override finish(namespace: string, workflowId: string, outcome?: FiringOutcome): void {
    this.#noticeEnds();
    super.finish(namespace, workflowId, outcome);
    this.#endedByPerson.add(this.chain(namespace, workflowId)!);
    this.#noticeEnds();
  }

  override continueAsNew(namespace: string, workflowId: string): void {
    this.#noticeEnds();
    super.continueAsNew(namespace, workflowId);
    this.#expectRun(this.chain(namespace, workflowId)!);
    this.#orders.push(async () => {
      const { runId } = (await this.real.port.describeChain(namespace, workflowId))!;
      await this.real.client.workflow.getHandle(workflowId).signal(tell, 'go on');
      await ended(this.real.client.workflow.getHandle(workflowId, runId, { followRuns: false }).result());
      await this.real.client.workflow.getHandle(workflowId).query(ready);
    });
  }

  override resetChain(namespace: string, workflowId: string, behaviour?: DoubleBehaviour): void {
    this.#noticeEnds();
    super.resetChain(namespace, workflowId, behaviour);
    this.#noticeReset(this.chain(namespace, workflowId)!);
  }

  override startWorkflow(start: WorkflowStart): Promise<{ runId: string }> {
    return this.#inTurn(async () => {
      await this.#carryOut();
      const { namespace, workflowId } = start.firing;
      const before = this.chain(namespace, workflowId);
      const one = await answerOf(super.startWorkflow(start));
      if (isAway(one)) throw one.refused;
      const chain = this.chain(namespace, workflowId);
      const workflowType = (chain && ignoresCancel(chain) ? toldIgnoringCancel : told).name;
      const { retry } = start.action;
      const action = {
        ...{ ...start.action, workflowType, taskQueue: this.real.taskQueue },
        // Nobody waits for the server's clock.
        ...(retry ? { retry: { ...retry, initialInterval: 1, backoffCoefficient: 1 } } : {}),
      };
      const lease = new CallLease(60_000);
      const other = await answerOf(this.real.port.startWorkflow({ ...start, action, lease }));
      // Servers before 1.32 no longer know the request of a chain that was reset.
      const isForgotten = chain !== undefined && this.#reset.has(chain) && kindOf(other) === 'taken';
      if (!isForgotten) compare(`start of ${workflowId}`, kindOf(one), kindOf(other));
      if ('result' in one && 'result' in other) this.#sameRun(one.result.runId, other.result.runId);
      if (chain && chain !== before) await this.#begun(chain);
      await this.#carryOut();
      return given(one);
    });
  }

  override describeChain(namespace: string, workflowId: string, runId?: string): Promise<Chain | undefined> {
    return this.#inTurn(async () => {
      await this.#carryOut();
      const one = await answerOf(super.describeChain(namespace, workflowId, runId));
      if (isAway(one)) throw one.refused;
      const theirs = runId === undefined ? undefined : this.#runs.get(runId);
      const other = await answerOf(this.real.port.describeChain(namespace, workflowId, theirs));
      const [chain, real] = [given(one), given(other)];
      compare(`${workflowId}`, summaryOf(chain), summaryOf(real));
      if (chain && real) this.#sameRun(chain.firstRunId, real.firstRunId);
      return chain;
    });
  }

  override failedStep(namespace: string, workflowId: string, run: string): Promise<FailedStep | undefined> {
    return this.#inTurn(async () => {
      await this.#carryOut();
      const one = await answerOf(super.failedStep(namespace, workflowId, run));
      if (isAway(one)) throw one.refused;
      const { runId } = (await this.real.port.describeChain(namespace, workflowId))!;
      const step = await this.real.port.failedStep(namespace, workflowId, runId);
      compare(`failed step of ${workflowId}`, given(one) !== undefined, step !== undefined);
      return given(one);
    });
  }

  override retention(namespace: string): Promise<number | undefined> {
    return this.#inTurn(async () => {
      const retention = await super.retention(namespace);
      compare('retention', retention, await this.real.port.retention(namespace));
      return retention;
    });
  }

  override async requestCancel(target: ChainTarget): Promise<void> {
    await this.#interrupt(
      target,
      () => super.requestCancel(target),
      (theirs) => this.real.port.requestCancel(theirs, { requestId: randomUUID(), reason: 'trace' }),
    );
  }

  override async terminate(target: ChainTarget): Promise<void> {
    await this.#interrupt(
      target,
      () => super.terminate(target),
      (theirs) => this.real.port.terminate(theirs, { reason: 'trace' }),
    );
  }

  override reset(reset: RunReset): Promise<{ runId: string } | undefined> {
    return this.#inTurn(async () => {
      await this.#carryOut();
      const chain = this.chain(reset.namespace, reset.workflowId);
      const runs = chain && this.stateOf(chain).runIds.length;
      const answer = await super.reset(reset);
      if (chain && this.stateOf(chain).runIds.length !== runs) {
        this.#noticeReset(chain);
      }
      await this.#carryOut();
      return answer;
    });
  }

  /** Nothing runs on when the trace is over. */
  override close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#carryOut();
      for (const chain of this.running()) {
        const { namespace, workflowId } = chain;
        const firstRunId = this.#runs.get(chain.firstRunId)!;
        await this.real.port.terminate({ namespace, workflowId, firstRunId }, { reason: 'trace' });
      }
    });
  }

  /** Make a call of both once the former ones are over, however they ended. */
  #inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
    const turn = this.#calling.then(call);
    this.#calling = turn.catch(() => {});
    return turn;
  }

  #interrupt(
    target: ChainTarget,
    ours: () => Promise<void>,
    theirs: (target: ChainTarget) => Promise<void>,
  ): Promise<void> {
    return this.#inTurn(async () => {
      await this.#carryOut();
      const chain = this.chain(target.namespace, target.workflowId);
      const wasRunning = chain !== undefined && this.isRunning(chain);
      // Send the server every end that occurs in the double.
      if (chain && wasRunning) this.#ended.add(chain);
      try {
        if (chain && wasRunning) await letBegin(this.real, chain);
        await ours();
        await theirs({ ...target, firstRunId: this.#runs.get(target.firstRunId) ?? randomUUID() });
        if (wasRunning && !this.isRunning(chain))
          await ended(this.real.client.workflow.getHandle(target.workflowId).result());
      } finally {
        if (chain && this.isRunning(chain)) this.#ended.delete(chain);
      }
    });
  }

  /**
   * Both delay the start of a chain by the same time. A chain that was handed over ahead has its first task then, or
   * when it gets a signal-with-start.
   */
  async #begun({ workflowId, beginsAt, startedAt }: PlayedChain): Promise<void> {
    const handle = this.real.client.workflow.getHandle(workflowId);
    const { events } = await handle.fetchHistory();
    const { firstWorkflowTaskBackoff } = events![0]!.workflowExecutionStartedEventAttributes!;
    const delay = beginsAt - startedAt;
    compare(`delay of ${workflowId}`, delay, optionalTsToMs(firstWorkflowTaskBackoff) ?? 0);
    if (delay === 0) await handle.query(ready);
  }

  /** The server gets one more run of a chain by an order of its own. */
  #expectRun(chain: PlayedChain): void {
    this.#runsOf.set(chain, (this.#runsOf.get(chain) ?? 1) + 1);
  }

  #noticeReset(chain: PlayedChain): void {
    this.#ended.delete(chain);
    this.#endedByPerson.delete(chain);
    this.#reset.add(chain);
    this.#expectRun(chain);
    this.#orders.push(() => resetReal(this.real, chain));
  }

  /** Let the server's runs fail and be retried, and its chains end, as in the double. */
  #noticeEnds(): void {
    for (const chain of this.chains()) {
      const { outcome, runIds } = this.stateOf(chain);
      for (let run = this.#runsOf.get(chain) ?? 1; run < runIds.length; run++) {
        this.#expectRun(chain);
        this.#orders.push(() => tellRun(this.real, chain, 'fail for now'));
      }
      if (!outcome || this.#ended.has(chain)) continue;
      this.#ended.add(chain);
      this.#orders.push(() => this.#end(chain, outcome));
    }
  }

  #carryOut(): Promise<void> {
    this.#noticeEnds();
    for (const order of this.#orders.splice(0)) this.#working = this.#working.then(order);
    return this.#working;
  }

  async #end(chain: PlayedChain, outcome: FiringOutcome): Promise<void> {
    const handle = this.real.client.workflow.getHandle(chain.workflowId);
    if (outcome !== 'completed' && outcome !== 'failed') await letBegin(this.real, chain);
    if (outcome === 'terminated') await handle.terminate();
    else if (outcome === 'canceled') {
      if (ignoresCancel(chain)) await handle.signal(tell, 'obey cancel');
      await handle.cancel();
    } else {
      const fail = this.#endedByPerson.has(chain) ? 'fail' : 'fail for now';
      return tellRun(this.real, chain, outcome === 'completed' ? 'complete' : fail);
    }
    await ended(handle.result());
  }

  /** One run of the server stands for one of the double. */
  #sameRun(ours: string, theirs: string): void {
    compare('first run', this.#runs.get(ours) ?? theirs, theirs);
    this.#runs.set(ours, theirs);
  }
}

function ignoresCancel({ behaviour }: PlayedChain): boolean {
  return behaviour.onCancel === 'ignore';
}
