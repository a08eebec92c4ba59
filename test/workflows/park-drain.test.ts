import { expect, it } from 'vitest';
import { usePluginDeploys } from './plugin-deploys';

const { parking, deployments, redrive } = usePluginDeploys();

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
