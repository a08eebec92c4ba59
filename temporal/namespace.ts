import { Breaker, type BreakerListener } from './breaker';
import { statusNameOf } from './errors';
import type { ChainTarget, EndedRunsPage, RunReset, RunSignal, RunsPage, TemporalPort, WorkflowStart } from './port';

export interface CallListener {
  /**
   * Called when a call has ended, with the port's method and the name of the gRPC status. The breaker's own calls are
   * not reported.
   */
  onCall(method: string, code: string, seconds: number): void;
}

/** A workflow ID that nobody uses: it only matters that the server answers, not whether the workflow exists. */
const NOBODYS_WORKFLOW_ID = 'escapement-asks-whether-anybody-answers';

/**
 * One namespace of Temporal, as a trigger calls it. While the namespace is away, the only call that is sent asks
 * whether it answers. A call that fails throws a {@link TemporalCallError}, which says whether it concerns the whole
 * namespace or only this request.
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

  /** Whether the namespace is away: it does not answer, or refuses every call. */
  get isAway(): boolean {
    return this.#breaker.isOpen;
  }

  /** Until when the namespace is not called, in epoch milliseconds; undefined if it may be called or asked now. */
  get leftAloneUntil(): number | undefined {
    return this.#breaker.leftAloneUntil;
  }

  /** The error because of which the namespace is away; undefined while the namespace answers. */
  get error() {
    return this.#breaker.error;
  }

  /** Whether the server said at the last check that the namespace does not exist. */
  get isMissing(): boolean {
    return this.missingSince !== undefined;
  }

  /** Since when the server has said at each check that the namespace does not exist, in epoch milliseconds. */
  get missingSince(): number | undefined {
    return this.#breaker.missingSince;
  }

  /** Since when the namespace has not answered, or has refused every call, in epoch milliseconds. */
  get awaySince(): number | undefined {
    return this.#breaker.openSince;
  }

  /** When the namespace last answered again after a long outage, in epoch milliseconds; undefined if there was none. */
  get backSince(): number | undefined {
    return this.#breaker.backSince;
  }

  /** Since when the namespace has answered but refused every call, in epoch milliseconds. */
  get refusedSince(): number | undefined {
    return this.#breaker.refusedSince;
  }

  /** Whether the namespace may be called now. If the namespace was away and its pause is over, the method asks it. */
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

  resetPoint(workflowId: string, runId: string, eventId?: number, betweenPages?: () => Promise<void>) {
    return this.#call('resetPoint', () => this.port.resetPoint(this.name, workflowId, runId, eventId, betweenPages));
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

  /** If the breaker refuses a call, the listener is not informed of it. */
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
