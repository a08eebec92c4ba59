import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import { uniqueName } from '../ledger';
import { bundleOf } from '../packages/bundles';
import { quietSdk } from '../quiet-sdk';
import type { Steps } from '../workers/workflows';

/** A task queue on which one worker after the other is deployed. */
export interface Deployments {
  taskQueue: string;
  client: Client;
  /** Stop the current worker, if there is one, and start a worker with these activities. */
  deploy(activities: Partial<Steps>): Promise<void>;
}

/** Real workers on the real Temporal server, for the tests of a file. */
export function useDeployments(): () => Deployments {
  let deployments: Deployments;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    quietSdk();
    const address = inject('temporalAddress');
    const nativeConnection = await NativeConnection.connect({ address });
    const connection = await Connection.connect({ address });
    const workflowBundle = await bundleOf(require.resolve('../workers/workflows.ts'));
    const taskQueue = uniqueName('queue');
    let retire = async () => {};
    const deploy = async (activities: Partial<Steps>) => {
      await retire();
      const polling = await Worker.create({ connection: nativeConnection, taskQueue, workflowBundle, activities });
      const running = polling.run();
      retire = async () => {
        polling.shutdown();
        await running;
      };
    };
    deployments = { taskQueue, client: new Client({ connection }), deploy };
    stop = async () => {
      await retire();
      await connection.close();
      await nativeConnection.close();
    };
  });
  afterAll(() => stop());
  return () => deployments;
}
