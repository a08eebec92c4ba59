import { Breaker, type BreakerListener } from './breaker';
import { isMissingNamespace, statusNameOf } from './errors';
import type { ChainTarget, EndedRunsPage, RunReset, RunSignal, RunsPage, TemporalPort, WorkflowStart } from './port';

/** Learns of calls. */
export interface CallListener {
  /** A call of this method of the port has ended, with this gRPC status. */
  onCall(method: string, code: string, seconds: number): void;
}

/** A workflow ID that nobody uses: it does not matter whether it exists, only that the server answers. */
const NOBODYS_WORKFLOW_ID = 'escapement-asks-whether-anybody-answers';

/**
 * One namespace of Temporal. Every call to it goes through this class. While the namespace does not answer, no call is
 * made. Each error says whether the whole namespace is affected or only this request. Every method throws only
 * `TemporalCallError`.
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

  /** Whether the last check got no answer, or only refusals. */
  get isAway(): boolean {
    return this.#breaker.isOpen;
  }

  /** Until when it is not asked again, in epoch milliseconds; undefined if it may be asked now. */
  get leftAloneUntil(): number | undefined {
    return this.#breaker.leftAloneUntil;
  }

  /** The last error from the server or the network; undefined while the namespace answers. */
  get error() {
    return this.#breaker.error;
  }

  /** Whether the server said at the last check that the namespace does not exist. */
  get isMissing(): boolean {
    return this.error !== undefined && isMissingNamespace(this.error);
  }

  /** Since when it does not answer, or refuses every call, in epoch milliseconds. */
  get awaySince(): number | undefined {
    return this.#breaker.openSince;
  }

  /** Since when it answers but refuses every call, in epoch milliseconds. */
  get refusedSince(): number | undefined {
    return this.#breaker.refusedSince;
  }

  /** Whether it may be called. If it was away and its pause is over, this asks it. */
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

  /** A call that the breaker refuses does not count as a call. */
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
