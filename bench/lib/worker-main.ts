import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { TASK_QUEUE } from './names';

/**
 * Runs the only worker, for all contenders, in another process. The worker runs the trivial workflow in each namespace.
 * The program's arguments are Temporal's address and the namespaces.
 */
async function main([address, ...namespaces]: string[]): Promise<void> {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger, shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address });
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('../workflows.ts'), logger });
  const workers: Worker[] = [];
  for (const namespace of new Set(namespaces)) {
    const behavior = { type: 'simple-maximum', maximum: 16 } as const;
    workers.push(
      await Worker.create({
        ...{ connection, namespace, workflowBundle, taskQueue: TASK_QUEUE },
        workflowTaskPollerBehavior: behavior,
        maxConcurrentWorkflowTaskExecutions: 200,
        maxCachedWorkflows: 500,
        shutdownGraceTime: '1 second',
        shutdownForceTime: '5 seconds',
      }),
    );
  }
  const running = Promise.all(workers.map((worker) => worker.run()));
  process.once('SIGTERM', () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  });
  console.log('worker running');
  await running;
  await connection.close();
}

void main(process.argv.slice(2));
