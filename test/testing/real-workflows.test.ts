import { SimplePlugin } from '@temporalio/plugin';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectFirings, type TestScheduleEnvironment, WorkflowTaskFailedError } from '../../testing';
import { realEnvironment } from '../support/real-environment';

const calls: string[] = [];
const activities = {
  async collect(day: string) {
    calls.push(`collect ${day}`);
    return 42;
  },
  render: async (rows: number) => `${rows} rows`,
  send: async () => {},
};

let intercepted = 0;
const counting = new SimplePlugin({
  name: 'counting',
  workerInterceptors: {
    activity: [() => ({ inbound: { execute: (input, next) => next(input).finally(() => intercepted++) } })],
  },
});

let env: TestScheduleEnvironment;
beforeAll(async () => {
  env = await realEnvironment({
    workflowsPath: require.resolve('./workflows.ts'),
    activities,
    plugins: [counting],
    startTime: '2031-05-01T00:00:00Z',
  });
});
afterAll(() => env.teardown());

function create(workflowType: string, cron: string) {
  const action = { type: 'startWorkflow' as const, workflowType, taskQueue: env.taskQueue };
  return env.client.create({ scheduleId: workflowType, spec: { cron }, action });
}

// One server for the file: the tests go on from where the one before has left its clock.
it('runs real workflows with their steps, years from the server’s own clock', async () => {
  const handle = await create('nightlyReport', '0 2 * * *');
  const firings = await env.advanceTo('2031-05-03T00:00:00Z');
  expectFirings(firings).toBe(['2031-05-01 02:00 completed', '2031-05-02 02:00 completed']);
  expect(calls).toEqual(['collect 2031-05-01', 'collect 2031-05-02']);
  // The plugin applies once: each firing has three steps.
  expect(intercepted).toBe(2 * 3);
  expect(firings[0]!.closedAt!.toISOString()).toMatch(/^2031-05-01T02:00/);

  calls.length = 0;
  env.failStep('collect', 2);
  expectFirings(await env.advanceTo('2031-05-04T00:00:00Z')).toBe(['02:00 completed']);
  expect(calls).toEqual(['collect 2031-05-03']);
  await handle.delete();
});

it('ends a workflow that sleeps an hour an hour later on the virtual clock', async () => {
  const handle = await create('sleepsAnHour', '0 2 * * *');
  const [firing] = await env.advanceTo('2031-05-04T04:00:00Z');
  expect(firing).toMatchObject({ outcome: 'completed' });
  expect(firing!.closedAt!.toISOString()).toMatch(/^2031-05-04T03:00/);
  await handle.delete();
});

it('sees the end of a workflow that another one has woken when that was', async () => {
  const start = (workflowType: string, at: string, args: string[] = []) =>
    env.client.create({
      scheduleId: workflowType,
      spec: { at: [new Date(at)] },
      action: { type: 'startWorkflow', workflowType, taskQueue: env.taskQueue, args },
    });
  await start('sleepsUntilWoken', '2031-05-05T05:00:00Z');
  await start('wakes', '2031-05-05T10:30:00Z', ['sleepsUntilWoken-workflow-2031-05-05T05:00:00Z']);
  const [woken] = await env.advanceTo('2031-05-05T11:00:00Z');
  expect(woken).toMatchObject({ scheduleId: 'sleepsUntilWoken', outcome: 'completed' });
  expect(woken!.closedAt!.toISOString()).toMatch(/^2031-05-05T10:30/);
});

it('waits for a run that its backoff keeps from beginning for longer than it may take', async () => {
  const limits = { workflowRunTimeout: '10 minutes', retry: { initialInterval: '15 minutes' } } as const;
  await env.client.create({
    scheduleId: 'failsOnce',
    spec: { at: [new Date('2031-05-05T11:10:00Z')] },
    action: { type: 'startWorkflow', workflowType: 'failsOnce', taskQueue: env.taskQueue, ...limits },
  });
  const [firing] = await env.advanceTo('2031-05-05T11:35:00Z');
  expect(firing).toMatchObject({ outcome: 'completed' });
  expect(firing!.closedAt!.toISOString()).toMatch(/^2031-05-05T11:30/);
});

it('says so when the worker does not know a workflow type', async () => {
  await create('noSuchWorkflow', '45 11 * * *');
  const advancing = env.advanceTo('2031-05-05T12:00:00Z');
  await expect(advancing).rejects.toThrow(WorkflowTaskFailedError);
  await expect(advancing).rejects.toThrow(/noSuchWorkflow.*no such function is exported/s);
});
