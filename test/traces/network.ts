import { type RunReset, TemporalCallError, type TemporalPort, type WorkflowStart } from '../../temporal/port';
import type { Clock } from '../../trigger/clock';
import type { MortalProcess } from './process';
import { memoOf, type PlayedChain, type TracedTemporal } from './temporal';

/** The fate of the next start call: its answer is lost, it arrives late or never, or it is refused permanently. */
export type Mishap = 'answer' | 'late' | 'never' | 'rejected';

/** A chain that a start call began. */
export interface Begun {
  chain: PlayedChain;
  /** Chains of the same schedule that were running at that moment. */
  beside: PlayedChain[];
}

/** A reset that a trigger requested. */
export interface Reset {
  chain: PlayedChain;
  requestId: string;
  /** Other chains of the same schedule that ran at that moment. */
  beside: PlayedChain[];
}

/** A late call arrives within this time, since its lease and deadline bound it. */
const LATEST_ARRIVAL_MILLISECONDS = 12_000;

/** The network between the triggers and Temporal, with faults, and a record of what began. */
export class Network {
  /** Chains that began, oldest first. */
  readonly begun: Begun[] = [];
  /** Resets that did anything, oldest first. */
  readonly resets: Reset[] = [];
  /** The request ID of each firing's epoch: it must never change. */
  readonly requests = new Map<string, string>();
  readonly violations: string[] = [];
  #mishaps: Mishap[] = [];
  #underWay: { start: WorkflowStart; until: number }[] = [];

  constructor(
    readonly double: TracedTemporal,
    private readonly clock: Clock,
  ) {}

  /** The next start call meets this. */
  expect(mishap: Mishap): void {
    this.#mishaps.push(mishap);
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.#mishaps = [];
  }

  /** When the delayed calls must have arrived; undefined if there are none. */
  get arrivesBy(): number | undefined {
    return this.#underWay.length === 0 ? undefined : Math.min(...this.#underWay.map(({ until }) => until));
  }

  /** What is under way arrives. */
  async land(): Promise<void> {
    for (const { start } of this.#underWay.splice(0)) await this.#begin(start).catch(ignoreAnswer);
  }

  /** The port of one process. */
  port(process: MortalProcess): TemporalPort {
    const double: TemporalPort = this.double;
    return {
      startWorkflow: (start) => process.do(() => this.#call(start)),
      describeChain: (...args) => process.do(() => double.describeChain(...args)),
      retention: (namespace) => process.do(() => double.retention(namespace)),
      failedStep: (...args) => process.do(() => double.failedStep(...args)),
      requestCancel: (...args) => process.do(() => double.requestCancel(...args)),
      terminate: (...args) => process.do(() => double.terminate(...args)),
      resetPoint: (...args) => process.do(() => double.resetPoint(...args)),
      reset: (reset) => process.do(() => this.#reset(reset)),
      signal: (signal) => process.do(() => double.signal(signal)),
      listEnds: (...args) => process.do(() => double.listEnds(...args)),
      listRuns: (namespace, page) => process.do(() => double.listRuns(namespace, page)),
      close: async () => {},
    };
  }

  async #call(start: WorkflowStart): Promise<{ runId: string }> {
    this.#noteRequest(start);
    const mishap = this.#mishaps.shift();
    if (mishap === 'rejected') throw new TemporalCallError('INVALID_ARGUMENT', 'rejected');
    if (mishap === 'late') this.#underWay.push({ start, until: this.clock.now() + LATEST_ARRIVAL_MILLISECONDS });
    if (mishap === 'answer') await this.#begin(start).catch(ignoreAnswer);
    if (mishap !== undefined) throw new TemporalCallError('the deadline passed', 'away');
    return this.#begin(start);
  }

  async #begin(start: WorkflowStart): Promise<{ runId: string }> {
    const { namespace, workflowId, scheduleId } = start.firing;
    const before = this.double.chain(namespace, workflowId);
    const beside = this.#running(scheduleId);
    try {
      return await this.double.startWorkflow(start);
    } finally {
      const chain = this.double.chain(namespace, workflowId);
      if (chain && chain !== before) this.begun.push({ chain, beside });
    }
  }

  async #reset(reset: RunReset): Promise<{ runId: string } | undefined> {
    const chain = this.double.chain(reset.namespace, reset.workflowId);
    const runs = chain && this.double.stateOf(chain).runIds.length;
    const beside = chain ? this.#running(memoOf(chain).scheduleId).filter((other) => other !== chain) : [];
    const answer = await this.double.reset(reset);
    if (chain && this.double.stateOf(chain).runIds.length !== runs) {
      this.resets.push({ chain, beside, requestId: reset.requestId });
    }
    return answer;
  }

  #running(scheduleId: string): PlayedChain[] {
    return this.double.running().filter((chain) => memoOf(chain).scheduleId === scheduleId);
  }

  #noteRequest({ firing, requestId }: WorkflowStart): void {
    const name = `${firing.scheduleId} ${firing.scheduledTime.toISOString()} ${firing.epoch}`;
    const known = this.requests.get(name) ?? requestId;
    this.requests.set(name, known);
    if (known !== requestId) this.violations.push(`${name} was called under two request IDs`);
  }
}

function ignoreAnswer(error: unknown): void {
  if (!(error instanceof TemporalCallError)) throw error;
}
