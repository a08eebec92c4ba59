import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Pool } from 'pg';
import { EscapementPlugin } from '../../plugin';
import { activitiesOn } from './activities';
import { NAMESPACE, TASK_QUEUE } from './definitions';

/**
 * Runs a worker of the workload in another process. The program's arguments are the ledger's URL and Temporal's
 * address.
 */
async function main([databaseUrl, address]: string[]): Promise<void> {
  const logger = new DefaultLogger('WARN');
  Runtime.install({ logger, shutdownSignals: [] });
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 8,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  const connection = await NativeConnection.connect({ address });
  const plugin = new EscapementPlugin({ pool, park: ['charge'] });
  const workflowsPath = require.resolve('./workflows.ts');
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [plugin], logger });
  const worker = await Worker.create({
    ...{ connection, namespace: NAMESPACE, taskQueue: TASK_QUEUE, workflowBundle, plugins: [plugin] },
    activities: activitiesOn(pool),
    shutdownGraceTime: '1 second',
    shutdownForceTime: '3 seconds',
    // After this time the tasks of a killed worker leave its sticky queue.
    stickyQueueScheduleToStartTimeout: '2 seconds',
  });
  process.once('SIGTERM', () => worker.getState() === 'RUNNING' && worker.shutdown());
  console.log('worker running');
  await worker.run();
  process.exit();
}

void main(process.argv.slice(2));
