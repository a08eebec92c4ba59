import { Breaker, type BreakerListener } from './breaker';
import { isMissingNamespace, statusNameOf } from './errors';
import type { ChainTarget, EndedRunsPage, RunReset, RunSignal, RunsPage, TemporalPort, WorkflowStart } from './port';

/** Who is told of calls. */
export interface CallListener {
  /** A call of this method of the port has ended, with this gRPC status. */
  onCall(method: string, code: string, seconds: number): void;
}

/** A workflow ID that nobody uses: whether it is there says nothing, that somebody answers does. */
const NOBODYS_WORKFLOW_ID = 'escapement-asks-whether-anybody-answers';

/**
 * One namespace of Temporal, and the one door to it. No call is made while it does not answer, and each that fails says
 * whether the namespace does not answer or this request alone fails. Every method throws only `TemporalCallError`.
 */
export class TemporalNamespace {
  readonly #breaker: Breaker;

  constructor(
    readonly name: string,
    private readonly port: TemporalPort,
    now: () => number,
    private readonly listener: BreakerListener & CallListener,
  ) {
    this.#breaker = new Breaker(() => port.describeChain(name, NOBODYS_WORKFLOW_ID), now, listener);
  }

  /** Whether it did not answer, or refused all, when it was last asked. */
  get isAway(): boolean {
    return this.#breaker.isOpen;
  }

  /** Until when it is not asked again, epoch milliseconds; undefined where it may be asked now. */
  get leftAloneUntil(): number | undefined {
    return this.#breaker.leftAloneUntil;
  }

  /** What it said, or the network, when it was last asked; undefined while it answers. */
  get error() {
    return this.#breaker.error;
  }

  /** Whether the server said, when it was last asked, that there is no such namespace. */
  get isMissing(): boolean {
    return this.error !== undefined && isMissingNamespace(this.error);
  }

  /** Since when it does not answer, or refuses all; epoch milliseconds. */
  get awaySince(): number | undefined {
    return this.#breaker.openSince;
  }

  /** Since when it answers, and refuses all; epoch milliseconds. */
  get refusedSince(): number | undefined {
    return this.#breaker.refusedSince;
  }

  /** Whether it may be called. One that was away is asked, once its pause is over. */
  isReady(): Promise<boolean> {
    return this.#breaker.isReady();
  }

  startWorkflow(start: WorkflowStart) {
    return this.#call('startWorkflow', () => this.port.startWorkflow(start));
  }

  describeChain(workflowId: string, runId?: string) {
    return this.#call('describeChain', () => this.port.describeChain(this.name, workflowId, runId));
  }

  listEnds(page: EndedRunsPage) {
    return this.#call('listEnds', () => this.port.listEnds(this.name, page));
  }

  retention() {
    return this.#call('retention', () => this.port.retention(this.name));
  }

  failedStep(workflowId: string, runId: string) {
    return this.#call('failedStep', () => this.port.failedStep(this.name, workflowId, runId));
  }

  resetPoint(workflowId: string, runId: string, eventId?: number) {
    return this.#call('resetPoint', () => this.port.resetPoint(this.name, workflowId, runId, eventId));
  }

  reset(run: RunReset) {
    return this.#call('reset', () => this.port.reset(run));
  }

  signal(signal: RunSignal) {
    return this.#call('signal', () => this.port.signal(signal));
  }

  requestCancel(target: ChainTarget, request: { requestId: string; reason: string }) {
    return this.#call('requestCancel', () => this.port.requestCancel(target, request));
  }

  terminate(target: ChainTarget, request: { reason: string }) {
    return this.#call('terminate', () => this.port.terminate(target, request));
  }

  listRuns(page: RunsPage) {
    return this.#call('listRuns', () => this.port.listRuns(this.name, page));
  }

  /** What the breaker refuses is no call. */
  #call<Response>(method: keyof TemporalPort, call: () => Promise<Response>): Promise<Response> {
    return this.#breaker.call(async () => {
      const sentAt = performance.now();
      const ended = (code: string) => this.listener.onCall(method, code, (performance.now() - sentAt) / 1_000);
      try {
        const response = await call();
        ended('OK');
        return response;
      } catch (error) {
        ended(statusNameOf(error));
        throw error;
      }
    });
  }
}
