import type { WorkflowStart } from '../../temporal/port';
import { TemporalDouble } from '../../testing';
import { type Answering, triggerAnswering } from './answering';
import type { TestLedger } from './ledger';

/** A double that keeps the start calls that reach it. A test may fail them, or do something beside them. */
export class WatchedDouble extends TemporalDouble {
  readonly starts: WorkflowStart[] = [];
  /** Called before a start: it may throw. */
  before: (start: WorkflowStart) => unknown = () => {};
  /** Called after a start, before its answer. */
  after: (start: WorkflowStart, runId: string) => unknown = () => {};

  override async startWorkflow(start: WorkflowStart) {
    this.starts.push(start);
    await this.before(start);
    const started = await super.startWorkflow(start);
    await this.after(start, started.runId);
    return started;
  }
}

/** A trigger on a double, with what its passes work on. The test calls the passes. */
export async function triggerOnDouble(ledger: TestLedger, options: Answering = {}) {
  const double = new WatchedDouble(ledger.clock);
  return { ...(await triggerAnswering(ledger, {}, { ...options, double })), double };
}
