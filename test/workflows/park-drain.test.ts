import type { WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { EscapementPlugin } from '../../plugin';
import { eventTypes, Steps, useParking } from '../support/failures/parking';
import { uniqueName, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);

/** A task queue on which one build of workers after the other is deployed: with the plugin in its bundle, or without. */
function deployments() {
  const taskQueue = uniqueName('queue');
  const steps = new Steps();
  let retire = async () => {};
  const deploy = async (...plugins: EscapementPlugin[]) => {
    await retire();
    const { activities } = steps;
    const sticky = { stickyQueueScheduleToStartTimeout: '1 second' as const };
    const worker = await parking.work({ taskQueue, activities, plugins, ...sticky });
    retire = worker.stop;
  };
  return { taskQueue, steps, deploy };
}

/** What the page says how to find runs that need the plugin. */
function marked(taskQueue: string): Promise<number> {
  const query = `TemporalChangeVersion = "escapement-park" and ExecutionStatus = "Running" and TaskQueue = "${taskQueue}"`;
  return parking
    .client()
    .workflow.count(query)
    .then(({ count }) => count);
}

async function redrive(execution: WorkflowHandle): Promise<void> {
  const [letter] = await ledger().query<{ letter_id: string }>(
    `select letter_id from escapement.dead_letters where workflow_id = $1 and state = 'open'`,
    [execution.workflowId],
  );
  await ledger().client.deadLetters.redrive(letter!.letter_id);
  const trigger = await ledger().trigger();
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
}

it('park is taken off in two deploys: what is parked is redriven under `park: []`, which marks no further run', async () => {
  const { taskQueue, steps, deploy } = deployments();
  steps.broken.add('chargeCard');
  await deploy(parking.plugin());
  const mended = await parking.fire('order', taskQueue);
  const broken = await parking.fire('order', taskQueue);
  await parking.letters(2);
  await expect.poll(() => marked(taskQueue), { timeout: 60_000 }).toBe(2);

  await deploy(parking.plugin({ park: [] }));
  // Caught by its workflow, which then waits for a mail from a queue that nobody polls yet.
  const mails = uniqueName('queue');
  const forgiving = await parking.fire('forgiving', taskQueue, ['A1', mails]);
  const waitsFor = async () => (await forgiving.describe()).raw.pendingActivities?.[0]?.activityType?.name;
  await expect.poll(waitsFor).toBe('sendMail');
  expect(await eventTypes(forgiving)).not.toContain('markerRecordedEventAttributes');
  await redrive(broken);
  await expect(broken.result()).rejects.toMatchObject({ cause: { activityType: 'chargeCard' } });
  steps.broken.clear();
  await redrive(mended);
  expect(await mended.result()).toEqual(['chargeCard A1', 'sendMail A1']);
  await expect.poll(() => marked(taskQueue), { timeout: 60_000 }).toBe(0);

  await deploy();
  await parking.work({ taskQueue: mails, activities: steps.activities });
  expect(await forgiving.result()).toEqual(['chargeCard', 'sendMail A1', 'chargeCard A1']);
  expect(await (await parking.fire('order', taskQueue)).result()).toEqual(['chargeCard A1', 'sendMail A1']);
});

it('a run that is parked when a build without the plugin comes gets nowhere, and goes on when one with it is back', async () => {
  const { taskQueue, steps, deploy } = deployments();
  steps.broken.add('chargeCard');
  await deploy(parking.plugin());
  const execution = await parking.fire('order', taskQueue, ['A1'], { workflowTaskTimeout: '3 seconds' });
  await parking.letters(1);

  await deploy();
  steps.broken.clear();
  await redrive(execution);
  await expect
    .poll(async () => (await execution.describe()).raw.pendingWorkflowTask?.attempt ?? 0, { timeout: 60_000 })
    .toBeGreaterThan(1);
  expect((await execution.describe()).status.name).toBe('RUNNING');

  await deploy(parking.plugin({ park: [] }));
  expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
});
