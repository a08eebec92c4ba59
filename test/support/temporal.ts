import { Client, Connection } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, vi } from 'vitest';
import { uniqueName } from './ledger';
import { bundleOf } from './packages/bundles';
import { quietSdk } from './quiet-sdk';
import * as activities from './workers/activities';

/** A real worker on the real Temporal server, and a client of it. */
export interface TestWorker {
  taskQueue: string;
  namespace: string;
  client: Client;
}

/**
 * One worker for the tests of a file, on its own task queue. Use `ownNamespace` if workflows of other files would
 * disturb the tests; the server takes some seconds to create a namespace.
 */
export function useWorker({ ownNamespace = false, taskQueue = uniqueName('queue') } = {}): () => TestWorker {
  let worker: TestWorker;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    quietSdk();
    const address = inject('temporalAddress');
    const nativeConnection = await NativeConnection.connect({ address });
    const connection = await Connection.connect({ address });
    const namespace = ownNamespace ? await registerNamespace(connection) : 'default';
    const polling = await Worker.create({
      connection: nativeConnection,
      namespace,
      taskQueue,
      workflowBundle: await bundleOf(require.resolve('./workers/workflows.ts')),
      activities,
    });
    const running = polling.run();
    await untilPolled(connection, namespace, taskQueue);
    worker = { taskQueue, namespace, client: new Client({ connection, namespace }) };
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

/** A namespace for the tests of one file, in which other files start nothing. No worker polls it. */
export function useNamespace(): () => string {
  let namespace: string;
  beforeAll(async () => {
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    namespace = await registerNamespace(connection);
    await connection.close();
  });
  return () => namespace;
}

/** Wait until the server reports that a worker polls the task queue. */
async function untilPolled({ workflowService }: Connection, namespace: string, name: string): Promise<void> {
  const { TASK_QUEUE_TYPE_WORKFLOW: taskQueueType } = proto.api.enums.v1.TaskQueueType;
  await vi.waitFor(
    async () => {
      const { pollers } = await workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType });
      expect(pollers).not.toEqual([]);
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** A namespace that all services of the server know. They refresh their caches of namespaces every few seconds. */
export async function registerNamespace(connection: Connection): Promise<string> {
  const namespace = uniqueName('namespace');
  const { workflowService } = connection;
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await vi.waitFor(() => workflowService.listWorkflowExecutions({ namespace, pageSize: 1 }), {
    timeout: 50_000,
    interval: 50,
  });
  return namespace;
}
