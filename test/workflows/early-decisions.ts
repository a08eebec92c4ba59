import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { BuryRequest } from '../../core/letters/park';
import { openStore } from '../../store/connection';
import { buryStep } from '../../store/letters/park-step';
import { eventTypes, Steps } from '../support/failures/parking';
import { uniqueName } from '../support/ledger';
import { useParkedOrders } from './parked-order';

/** Parked orders, and runs whose step is decided before they have seen it fail. */
export function useEarlyDecisions() {
  const { ledger, parking, parkedOrder } = useParkedOrders();

  /** The letter that a workflow task wrote whose worker died before the task was complete. */
  async function buryAsALostTask(execution: WorkflowHandle, burial: number): Promise<string> {
    const { memo, runId, workflowId } = await execution.describe();
    const store = openStore({ connectionString: ledger().databaseUrl });
    const { installation, scheduleId, scheduledTime, epoch } = memo!.escapement as BuryRequest;
    const failure = { type: 'Error', message: 'chargeCard of A1 does not work' };
    const step = { activityType: 'chargeCard', retryState: 'MAXIMUM_ATTEMPTS_REACHED', burial, failure };
    const firing = { installation, scheduleId, scheduledTime, epoch };
    const letterId = await buryStep(store, { ...firing, step, workflowId, runId, failedAt: Date.now() });
    await store.close();
    return letterId!;
  }

  async function redrive(letterId: string): Promise<void> {
    await ledger().client.deadLetters.redrive(letterId);
    const trigger = await ledger().trigger();
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  }

  /** A run whose step has failed and is decided, while no worker of the workflow is there to see either. */
  async function decidedEarly(worker: object = {}, broken: string[] = [], workflowType = 'order') {
    const [taskQueue, elsewhere] = [uniqueName('queue'), uniqueName('queue')];
    const plugins = [parking.plugin({ park: 'all' })];
    const work = (options: object = {}) => parking.work({ taskQueue, plugins, ...options });
    const first = await work(worker);
    const execution = await parking.fire(workflowType, taskQueue, ['A1', elsewhere]);
    await expect
      .poll(() => eventTypes(execution), { timeout: 60_000 })
      .toContain('activityTaskScheduledEventAttributes');
    await first.stop();
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue: elsewhere, activities: steps.activities });
    await expect.poll(() => eventTypes(execution), { timeout: 60_000 }).toContain('activityTaskFailedEventAttributes');
    const letterId = await buryAsALostTask(execution, 1);
    steps.broken.clear();
    for (const step of broken) steps.broken.add(step);
    await redrive(letterId);
    return { execution, work, steps };
  }

  return { parking, parkedOrder, buryAsALostTask, redrive, decidedEarly };
}
