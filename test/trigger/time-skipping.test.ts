import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('fires on the time-skipping server, where a workflow of a day takes no time', async () => {
  const executable = { type: 'existing-path' as const, path: inject('testServerPath') };
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  try {
    const taskQueue = uniqueName('queue');
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue,
      workflowsPath: require.resolve('../support/workflows.ts'),
    });
    const handle = await ledger().client.create(
      someSchedule({ action: { type: 'startWorkflow', workflowType: 'sleepsADay', taskQueue } }),
    );
    const trigger = await ledger().trigger({ connection: { address: environment.address } });
    await worker.runUntil(async () => {
      ledger().clock.set('2026-03-01T01:00:00Z');
      await trigger.passes.claim();
      expect(await trigger.passes.start()).toMatchObject({ linked: 1 });
      const workflowId = `${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`;
      const result = await environment.client.workflow.getHandle(workflowId).result();
      expect(result).toMatchObject({ scheduledTime: '2026-03-01T01:00:00.000Z' });
    });
    ledger().clock.advance(1_000);
    await trigger.passes.observe();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule closed completed']);
  } finally {
    await environment.teardown();
  }
});
