import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { describe, expect, inject, it, vi } from 'vitest';
import { EscapementPlugin } from '../../plugin';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { MemoryLogger } from '../support/logger';

const ledger = useLedger();

describe('EscapementPlugin', () => {
  it('runs one trigger inside a worker, though it is given twice, and stops it with the worker', async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const address = inject('temporalAddress');
    const taskQueue = uniqueName('queue');
    const logger = new MemoryLogger();
    const plugin = new EscapementPlugin({
      connectionString: ledger().databaseUrl,
      trigger: { connection: { address }, logger },
    });
    const connection = await NativeConnection.connect({ address, plugins: [plugin] });
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath: require.resolve('../support/workflows.ts'),
      plugins: [plugin, plugin],
    });
    const running = worker.run();
    const client = new Client({ connection: await Connection.connect({ address }) });
    try {
      const handle = await ledger()
        .newClient({ now: undefined })
        .create(someSchedule({ action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue } }));
      const { workflowId } = await handle.trigger();
      await vi.waitFor(() => client.workflow.getHandle(workflowId!).describe(), 20_000);
      expect(await client.workflow.getHandle(workflowId!).result()).toMatchObject({
        firing: { kind: 'manual', actor: 'test', scheduleId: handle.scheduleId },
      });
      expect(await ledger().query('select * from escapement.triggers')).toHaveLength(1);
    } finally {
      worker.shutdown();
      await running;
      await connection.close();
      await client.connection.close();
    }
    expect(logger.messages().filter((message) => message === 'trigger running')).toHaveLength(1);
    expect(logger.messages().at(-1)).toBe('trigger stopped');
    expect(await ledger().query('select * from escapement.triggers')).toEqual([]);
  });

  it('takes every option that it declares', () => {
    const postgres = { connectionString: ledger().databaseUrl, schema: 'escapement', connectionsAtMost: 1 };
    const options = { ...postgres, queryTimeoutMilliseconds: 1_000, preparedStatements: true, park: 'all' as const };
    expect(new EscapementPlugin({ ...options, trigger: { connection: {} } }).name).toBe('escapement');
  });

  it('refuses by name what it does not know', () => {
    expect(() => new EscapementPlugin({ metrics: true } as never)).toThrow(/EscapementPlugin\.metrics: no such field/);
  });
});
