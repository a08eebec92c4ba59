import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { providePostgres, provideTemporalCluster, SECOND_SCHEDULER } from '../../../provision';
import { bundleOf } from '../../support/packages/bundles';
import { quietSdk } from '../../support/quiet-sdk';
import { auditScene, expectAudited } from '../../support/scenes/audit-scene';

test('the audit says the same of the server’s second scheduler', async () => {
  quietSdk();
  const postgres = await providePostgres({});
  const server = await provideTemporalCluster({
    ...{ databaseUrl: postgres.databaseUrl, namespaces: ['default'], dynamicConfig: SECOND_SCHEDULER },
  });
  const { address } = server;
  const [connection, nativeConnection] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ]);
  const worker = await Worker.create({
    ...{ connection: nativeConnection, taskQueue: 'audited' },
    workflowBundle: await bundleOf(require.resolve('../../support/workers/workflows.ts')),
  });
  try {
    const client = new Client({ connection });
    await worker.runUntil(async () => {
      await expectAudited(client, await auditScene(client, address, 'default', 'audited'));
      // The first scheduler is a workflow; here another one only keeps its ID.
      const { type } = await client.workflow.getHandle('temporal-sys-scheduler:steady').describe();
      expect(type).toBe('temporal-sys-dummy-workflow');
    });
  } finally {
    await connection.close();
    await nativeConnection.close();
    await server.stop();
    await postgres.stop();
  }
});
