import type { WorkflowStart } from '../../temporal/port';
import { oneServer } from '../../temporal/temporal';
import { TemporalDouble } from '../../testing';
import { Trigger } from '../../trigger';
import type { TriggerContext } from '../../trigger/context';
import type { TunedTriggerOptions } from '../../trigger/options';
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
export async function triggerOnDouble(ledger: TestLedger, options: Partial<TunedTriggerOptions> = {}) {
  const { databaseUrl, clock, log } = ledger;
  const double = new WatchedDouble(clock);
  const settings = { connectionString: databaseUrl, clock, logger: log, ...options };
  const trigger = await Trigger.createOn(settings, async () => oneServer(double));
  ledger.beforeClose(() => trigger.close());
  const context: TriggerContext = Reflect.get(trigger, 'context');
  return { trigger, passes: trigger.passes, context, double };
}
