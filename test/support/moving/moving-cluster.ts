import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import { type ProvidedTemporalCluster, provideTemporalCluster } from '../../../provision';
import type { TestLedger } from '../ledger';
import { bundleOf } from '../packages/bundles';
import { quietSdk } from '../quiet-sdk';

/** `old` runs the server's first scheduler, `new` its second one. */
export const NAMESPACES = ['old', 'new'] as const;
/** In this namespace, schedules begin on the first scheduler. The server moves them to the second one on request. */
export const MIGRATING = 'migrating';
export const TASK_QUEUE = 'moving';
export const PATIENTLY = { timeout: 300_000 };

/** A server with both of its schedulers, and a worker in each namespace. */
export function useMovingCluster() {
  let server: ProvidedTemporalCluster;
  let connection: Connection;
  const clients = new Map<string, Client>();
  const stops: (() => Promise<void>)[] = [];
  const all = [...NAMESPACES, MIGRATING];

  beforeAll(async () => {
    quietSdk();
    const of = (value: (namespace: string) => unknown) =>
      all.map((namespace) => ({ namespace, value: value(namespace) as never }));
    server = await provideTemporalCluster({
      databaseUrl: inject('databaseUrl'),
      namespaces: all,
      dynamicConfig: {
        'history.enableCHASMSchedulerCreation': of((namespace) => namespace !== 'old'),
        // The reserved ID for the other scheduler would block a move for a quarter of an hour.
        'history.enableCHASMSchedulerSentinels': of((namespace) => namespace !== MIGRATING),
        'history.chasmSchedulerCreationRolloutPercent': of((namespace) => (namespace === 'new' ? 100 : 0)),
        'frontend.WorkflowPauseEnabled': true,
      },
    });
    const { address } = server;
    connection = await Connection.connect({ address });
    const native = await NativeConnection.connect({ address });
    for (const namespace of all) {
      clients.set(namespace, new Client({ connection, namespace }));
      const workflowBundle = await bundleOf(require.resolve('../workers/workflows.ts'));
      const worker = await Worker.create({ connection: native, namespace, taskQueue: TASK_QUEUE, workflowBundle });
      const running = worker.run();
      stops.unshift(async () => {
        worker.shutdown();
        await running;
      });
    }
    stops.push(() => native.close());
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await connection?.close();
    await server?.stop();
  });

  return {
    clients,
    /** The environment of a command for a ledger and one of the namespaces. */
    environmentOf: ({ databaseUrl }: Pick<TestLedger, 'databaseUrl'>, namespace: string) => ({
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: namespace,
    }),
  };
}
