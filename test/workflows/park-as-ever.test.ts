import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../migrations';
import { eventTypes, Steps } from '../support/failures/parking';
import { gate } from '../support/leases/lease-activities';
import { uniqueName } from '../support/ledger';
import { useParkedOrders } from './parked-order';

const { ledger, parking } = useParkedOrders();

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

  it('in a workflow that no firing started, and in one of another ledger', async () => {
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

    const other = uniqueName('queue');
    await migrate({ connectionString: ledger().databaseUrl, schema: 'other' });
    await parking.work({
      taskQueue: other,
      activities: steps.activities,
      // As its owner: a role has grants in one schema.
      plugins: [parking.plugin({ schema: 'other', connectionString: ledger().databaseUrl })],
    });
    await expect((await parking.fire('order', other)).result()).rejects.toMatchObject({
      cause: { activityType: 'chargeCard' },
    });
    expect(await ledger().query('select from other.dead_letters')).toEqual([]);
  });
});

it('a step that is redriven goes once through the interceptors of others', async () => {
  const taskQueue = uniqueName('queue');
  const calls: unknown[][] = [];
  let isBroken = true;
  const chargeCard = async (...args: unknown[]) => {
    calls.push(args);
    if (isBroken) throw new Error('declined');
  };
  const plugins = [parking.plugin()];
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('../support/failures/park-workflows.ts'),
    workflowInterceptorModules: [require.resolve('../support/workers/tenant-interceptor.ts')],
    plugins,
    logger: new DefaultLogger('ERROR'),
  });
  await parking.work({ taskQueue, activities: { chargeCard }, workflowBundle, plugins });
  const execution = await parking.fire('patient', taskQueue);
  await parking.letters(1);
  isBroken = false;
  await parking.decide(execution, { decision: 'redrive' });
  await execution.result();
  expect(calls).toEqual([
    ['tenant', 'A1'],
    ['tenant', 'A1'],
  ]);
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
  it('parks on a worker without activities, which does not begin to poll for them, from a path or twice over', async () => {
    const taskQueue = uniqueName('queue');
    const elsewhere = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const plugin = parking.plugin();
    await parking.work({
      taskQueue,
      workflowBundle: undefined,
      workflowsPath: require.resolve('../support/failures/park-workflows.ts'),
      plugins: [plugin, plugin],
      maxCachedWorkflows: 0,
    });
    const mail = await parking.work({ taskQueue: elsewhere, activities: steps.activities });
    const execution = await parking.fire('order', taskQueue, ['A1', elsewhere]);
    await parking.letters(1);
    const pollers = async (queue: string, taskQueueType: number) =>
      (
        await parking.client().workflowService.describeTaskQueue({
          namespace: 'default',
          taskQueue: { name: queue },
          taskQueueType,
        })
      ).pollers?.length;
    // Workflow tasks, then activities.
    expect(await pollers(taskQueue, 1)).toBeGreaterThan(0);
    await expect.poll(() => pollers(elsewhere, 2)).toBeGreaterThan(0);
    expect(await pollers(taskQueue, 2)).toBe(0);
    // The letter is there before the workflow task that wrote it has ended.
    const markers = async () => (await eventTypes(execution)).filter((type) => type.startsWith('marker'));
    await expect.poll(markers, { timeout: 60_000 }).toHaveLength(2);
    steps.broken.clear();
    await parking.decide(execution, { decision: 'redrive' });
    expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
    await mail.stop();
  });

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
    [{ park: 'all', connectionString: undefined }, /park: give a pool or a connectionString/],
  ])('refuses %j', (options, message) => {
    expect(() => parking.plugin(options as never)).toThrow(message);
  });
});
