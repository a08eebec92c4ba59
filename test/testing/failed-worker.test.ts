import { SimplePlugin } from '@temporalio/plugin';
import { expect, it } from 'vitest';
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
