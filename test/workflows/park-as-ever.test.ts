import { describe, expect, it } from 'vitest';
import { eventTypes, Steps } from '../support/failures/parking';
import { gate } from '../support/leases/lease-activities';
import { uniqueName } from '../support/ledger';
import { useParkedOrders } from './parked-order';

const { parking } = useParkedOrders();

describe('a step fails as ever', () => {
  it('when it is not among those to park', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('sendMail');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const execution = await parking.fire('order', taskQueue);
    await expect(execution.result()).rejects.toMatchObject({ cause: { activityType: 'sendMail' } });
    await parking.letters(0);
  });

  it('in a workflow that no firing started', async () => {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const own = { taskQueue, workflowId: taskQueue, args: ['A1'] };
    await expect(parking.client().workflow.execute('order', own)).rejects.toMatchObject({
      cause: { activityType: 'chargeCard' },
    });
    expect(await eventTypes(parking.client().workflow.getHandle(taskQueue))).not.toContain(
      'markerRecordedEventAttributes',
    );
  });
});

it('a step that is cancelled is not parked', async () => {
  const taskQueue = uniqueName('queue');
  const running = gate();
  const charged = gate<string>();
  const chargeCard = () => {
    running.open();
    return charged.promise;
  };
  await parking.work({ taskQueue, activities: { chargeCard }, plugins: [parking.plugin()] });
  const execution = await parking.fire('order', taskQueue);
  await running.promise;
  await execution.cancel();
  await expect(execution.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await eventTypes(execution)).not.toContain('markerRecordedEventAttributes');
  charged.open('too late');
});

it('a step that fails while its workflow is cancelled fails it with its own failure, as without the plugin', async () => {
  const taskQueue = uniqueName('queue');
  const running = gate();
  const refunded = gate();
  const chargeCard = async () => {
    running.open();
    await refunded.promise;
    throw new Error('no refund');
  };
  await parking.work({ taskQueue, activities: { chargeCard }, plugins: [parking.plugin()] });
  const execution = await parking.fire('patient', taskQueue);
  await running.promise;
  await execution.cancel();
  const requested = 'activityTaskCancelRequestedEventAttributes';
  await expect.poll(() => eventTypes(execution)).toContain(requested);
  refunded.open();
  await expect(execution.result()).rejects.toMatchObject({
    cause: { activityType: 'chargeCard', cause: { message: 'no refund' } },
  });
});

describe('EscapementPlugin with park', () => {
  it('refuses a workflow bundle that was built without it', async () => {
    const work = parking.work({
      taskQueue: uniqueName('queue'),
      workflowBundle: parking.plainBundle(),
      plugins: [parking.plugin()],
    });
    await expect(work).rejects.toThrow(/bundle was built without it.*bundleWorkflowCode/);
  });

  it.each([
    [{ park: 'chargeCard' }, /park: give a list of activity types/],
    [{ park: [''] }, /park: give a list of activity types/],
    [{ park: 'all', connectionString: undefined }, /connectionString: is empty, and no pool is given/],
  ])('refuses %j', (options, message) => {
    expect(() => parking.plugin(options as never)).toThrow(message);
  });
});
