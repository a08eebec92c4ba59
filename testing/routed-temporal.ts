import {
  type RunReset,
  type RunSignal,
  type RunsPage,
  TemporalCallError,
  type TemporalPort,
  type WorkflowStart,
} from '../temporal/port';
import type { TemporalDouble } from './double/temporal-double';

/**
 * Combines a double and a real server into one Temporal server. The workflow type decides which of the two gets a
 * start.
 */
export class RoutedTemporal implements TemporalPort {
  /** How many faults of the test keep Temporal away now. */
  faults = 0;

  /** While this is true, every call fails; running workflows continue. */
  get isAway(): boolean {
    return this.faults > 0;
  }

  constructor(
    private readonly double: TemporalDouble,
    private readonly server: TemporalPort | undefined,
    /** Throws if nothing would run the workflow that is started. */
    private readonly admit: (start: WorkflowStart) => void,
  ) {}

  async startWorkflow(start: WorkflowStart) {
    this.#arrive();
    if (this.double.plays(start.action.workflowType)) return this.double.startWorkflow(start);
    this.admit(start);
    return this.server!.startWorkflow(start);
  }

  async describeChain(namespace: string, workflowId: string, runId?: string) {
    return this.#of(namespace, workflowId).describeChain(namespace, workflowId, runId);
  }

  async failedStep(namespace: string, workflowId: string, runId: string) {
    return this.#of(namespace, workflowId).failedStep(namespace, workflowId, runId);
  }

  async resetPoint(...[namespace, workflowId, ...rest]: Parameters<TemporalPort['resetPoint']>) {
    return this.#of(namespace, workflowId).resetPoint(namespace, workflowId, ...rest);
  }

  async reset(reset: RunReset) {
    return this.#of(reset.namespace, reset.workflowId).reset(reset);
  }

  async signal(signal: RunSignal) {
    return this.#of(signal.namespace, signal.workflowId).signal(signal);
  }

  async requestCancel(...[target, request]: Parameters<TemporalPort['requestCancel']>) {
    return this.#of(target.namespace, target.workflowId).requestCancel(target, request);
  }

  async terminate(...[target, request]: Parameters<TemporalPort['terminate']>) {
    return this.#of(target.namespace, target.workflowId).terminate(target, request);
  }

  async retention(namespace: string) {
    this.#arrive();
    return (this.server ?? this.double).retention(namespace);
  }

  async listEnds(): Promise<undefined> {
    this.#arrive();
  }

  async listRuns(namespace: string, page: RunsPage) {
    this.#arrive();
    const real = this.server ? await this.server.listRuns(namespace, page) : { runs: [], next: undefined };
    // All simulated chains are on the first page.
    if (page.token !== undefined) return real;
    const played = await this.double.listRuns(namespace, page);
    return played && real && { ...real, runs: [...played.runs, ...real.runs] };
  }

  async close() {
    await this.server?.close();
  }

  #of(namespace: string, workflowId: string): TemporalPort {
    this.#arrive();
    return this.double.chain(namespace, workflowId) ? this.double : (this.server ?? this.double);
  }

  #arrive(): void {
    if (this.isAway) throw new TemporalCallError('Temporal is away, as the test ordered', 'away', { unsent: true });
  }
}
