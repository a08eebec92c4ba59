import { SimplePlugin } from '@temporalio/plugin';
import type { Worker } from '@temporalio/worker';
import { expect, it, vi } from 'vitest';
import { realEnvironment } from '../support/real-environment';

class FailingPlugin extends SimplePlugin {
  override async runWorker(): Promise<void> {
    throw new TypeError('this worker cannot run');
  }
}

it('a worker that cannot run is the error of the time that needs it and of the teardown, which closes the rest', async () => {
  const env = await realEnvironment({
    workflowsPath: require.resolve('./workflows.ts'),
    activities: { send: async () => {} },
    plugins: [new FailingPlugin({ name: 'failing' })],
    startTime: '2031-05-01T01:59:00Z',
  });
  await env.client.create({
    scheduleId: 'carefulReport',
    spec: { cron: '0 2 * * *' },
    action: { type: 'startWorkflow', workflowType: 'carefulReport', taskQueue: env.taskQueue },
  });
  await expect(env.advanceBy('1 hour')).rejects.toThrow('this worker cannot run');
  const { temporal } = env;
  await expect(env.teardown()).rejects.toThrow('this worker cannot run');
  await expect(temporal!.connection.workflowService.getSystemInfo({})).rejects.toThrow();
});

/** Lets its worker run only after somebody has looked whether it runs. */
class LatePlugin extends SimplePlugin {
  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => {
      vi.spyOn(worker, 'getState').mockImplementationOnce(() => {
        resolve();
        return 'INITIALIZED';
      });
    });
    return next(worker);
  }
}

it('a teardown ends although a plugin lets the worker run only when the teardown has begun', async () => {
  const env = await realEnvironment({
    workflowsPath: require.resolve('./workflows.ts'),
    activities: { send: async () => {} },
    plugins: [new LatePlugin({ name: 'late' })],
  });
  await env.advanceBy('1 minute');
  await env.teardown();
});
