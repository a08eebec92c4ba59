import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import * as activities from './activities';
import { uniqueName } from './ledger';

/** A real worker on the real Temporal server, and a client of it. */
export interface TestWorker {
  taskQueue: string;
  client: Client;
}

/** One worker for the tests of a file, on a task queue of its own. */
export function useWorker(): () => TestWorker {
  let worker: TestWorker;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const address = inject('temporalAddress');
    const nativeConnection = await NativeConnection.connect({ address });
    const connection = await Connection.connect({ address });
    const taskQueue = uniqueName('queue');
    const polling = await Worker.create({
      connection: nativeConnection,
      taskQueue,
      workflowsPath: require.resolve('./workflows.ts'),
      activities,
    });
    const running = polling.run();
    worker = { taskQueue, client: new Client({ connection }) };
    stop = async () => {
      polling.shutdown();
      await running;
      await connection.close();
      await nativeConnection.close();
    };
  });
  afterAll(() => stop());
  return () => worker;
}
