import { expect, it } from 'vitest';
import { eventTypes } from '../../support/failures/parking';
import { uniqueName } from '../../support/ledger';
import { usePluginDeploys } from '../../workflows/plugin-deploys';

const { parking, deployments, redrive } = usePluginDeploys();

/** What the page says how to find runs that need the plugin. */
function marked(taskQueue: string): Promise<number> {
  const query = `TemporalChangeVersion = "escapement-park" and CloseTime is null and TaskQueue = "${taskQueue}"`;
  return parking
    .client()
    .workflow.count(query)
    .then(({ count }) => count);
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
