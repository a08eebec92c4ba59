import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { migrate } from '../../../migrations';
import { eventTypes, Steps } from '../../support/failures/parking';
import { uniqueName } from '../../support/ledger';
import { useParkedOrders } from '../../workflows/parked-order';

const { ledger, parking } = useParkedOrders();

// Each bundles workflows by itself, or makes a schema.

it('a step fails as ever in a workflow of another ledger', async () => {
  const steps = new Steps();
  steps.broken.add('chargeCard');
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
    workflowsPath: require.resolve('../../support/failures/park-workflows.ts'),
    workflowInterceptorModules: [require.resolve('../../support/workers/tenant-interceptor.ts')],
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

it('EscapementPlugin parks on a worker without activities, which does not begin to poll for them, from a path or twice over', async () => {
  const taskQueue = uniqueName('queue');
  const elsewhere = uniqueName('queue');
  const steps = new Steps();
  steps.broken.add('chargeCard');
  const plugin = parking.plugin();
  await parking.work({
    taskQueue,
    workflowBundle: undefined,
    workflowsPath: require.resolve('../../support/failures/park-workflows.ts'),
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
