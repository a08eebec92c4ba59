import type { WorkflowHandle } from '@temporalio/client';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import type { BuryRequest } from '../../../core/letters/park';
import { EARLY_DECISION_PATCH } from '../../../core/letters/park-patch';
import { eventTypes, Steps } from '../../support/failures/parking';
import { gate } from '../../support/leases/lease-activities';
import { uniqueName } from '../../support/ledger';
import { useEarlyDecisions } from '../../workflows/early-decisions';

const { parking, buryAsALostTask, redrive, decidedEarly } = useEarlyDecisions();

/** Until the mail is parked. Then the run is reset to its last task, and the new run decides both as the old one did. */
async function resetWhileTheMailIsParked(execution: WorkflowHandle, steps: Steps): Promise<void> {
  const mail = { failed_step: { activityType: 'sendMail', burial: 2 } };
  await expect.poll(() => parking.letters(1)).toMatchObject([mail]);
  // The task that wrote the letter is complete, so that the reset takes it along.
  await expect.poll(() => eventTypes(execution), { timeout: 60_000 }).toSatisfy(isAtRest);
  await parking.reset(execution, 'last');
  const { runId } = await parking.client().workflow.getHandle(execution.workflowId).describe();
  const again = parking.client().workflow.getHandle(execution.workflowId, runId);
  await expect.poll(() => again.query('escapementParked'), { timeout: 60_000 }).toMatchObject([{ burial: 2 }]);
  steps.broken.clear();
  await parking.decide(again, { decision: 'redrive' });
  expect(await again.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  await parking.replay(again, [parking.plugin()]);
}

/** A marker is the last event of a task that parked a step. */
const isAtRest = (types: string[]) => types.at(-1) === 'markerRecordedEventAttributes';

describe('a decision that arrives before the run has seen its step fail', () => {
  it('takes up a step that fails again', async () => {
    const [taskQueue, elsewhere] = [uniqueName('queue'), uniqueName('queue')];
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const work = () => parking.work({ taskQueue, plugins: [parking.plugin()] });
    const first = await work();
    const { stop } = await parking.work({ taskQueue: elsewhere, activities: steps.activities });
    const execution = await parking.fire('order', taskQueue, ['A1', elsewhere]);
    const [letter] = await parking.letters(1);
    await stop();
    await redrive(letter!.letter_id);
    const scheduled = async () =>
      (await eventTypes(execution)).filter((type) => type === 'activityTaskScheduledEventAttributes').length;
    await expect.poll(scheduled, { timeout: 60_000 }).toBe(2);
    await first.stop();
    await parking.work({ taskQueue: elsewhere, activities: steps.activities });
    const failed = async () =>
      (await eventTypes(execution)).filter((type) => type === 'activityTaskFailedEventAttributes').length;
    await expect.poll(failed, { timeout: 60_000 }).toBe(2);
    const again = await buryAsALostTask(execution, 2);
    steps.broken.clear();
    await redrive(again);
    await work();
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    await parking.replay(execution, [parking.plugin()]);
  });

  it('was lost by the version before, whose histories replay and can be decided again', async () => {
    const patchActivationCallback = ({ patchId }: { patchId: string }) => patchId !== EARLY_DECISION_PATCH;
    const { execution, work } = await decidedEarly({ patchActivationCallback });
    const old = await work({ patchActivationCallback });
    await expect.poll(() => execution.query('escapementParked'), { timeout: 60_000 }).toHaveLength(1);
    await old.stop();
    await parking.replay(execution, [parking.plugin()]);
    await work();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    await parking.replay(execution, [parking.plugin()]);
  });

  it('is carried out by the run again to which a reset takes it', async () => {
    const { execution, work, steps } = await decidedEarly({}, ['sendMail']);
    await work();
    await resetWhileTheMailIsParked(execution, steps);
  });
});

it('a decision that arrives before the answer which names the letter is carried out by the run again to which a reset takes it', async () => {
  const taskQueue = uniqueName('queue');
  const steps = new Steps();
  steps.broken.add('chargeCard').add('sendMail');
  const run = gate<WorkflowHandle>();
  const inbound = {
    async execute(input: ActivityExecuteInput, next: (input: ActivityExecuteInput) => Promise<unknown>) {
      const answer = await next(input);
      if ((input.args[0] as Partial<BuryRequest>).step?.activityType !== 'chargeCard') return answer;
      const execution = await run.promise;
      steps.broken.delete('chargeCard');
      const [letter] = await parking.letters(1);
      await redrive(letter!.letter_id);
      // The task that delivered the decision is over, and another one waits for this answer.
      const isDelivered = (types: string[]) =>
        types
          .slice(types.indexOf('workflowExecutionSignaledEventAttributes'))
          .filter((type) => type === 'workflowTaskStartedEventAttributes').length > 1;
      await expect.poll(() => eventTypes(execution), { timeout: 60_000 }).toSatisfy(isDelivered);
      return answer;
    },
  };
  await parking.work({
    ...{ taskQueue, activities: steps.activities, plugins: [parking.plugin({ park: 'all' })] },
    interceptors: { activity: [() => ({ inbound })] },
  });
  const execution = await parking.fire('order', taskQueue, ['A1'], { workflowTaskTimeout: '3 seconds' });
  run.open(execution);
  await resetWhileTheMailIsParked(execution, steps);
});
