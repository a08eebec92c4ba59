import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { bundleWorkflowCode, DefaultLogger, type Logger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Pool } from 'pg';
import { EscapementPlugin } from '../../plugin';
import { activitiesOn } from './activities';
import { NAMESPACE, TASK_QUEUE } from './definitions';

/**
 * Runs a worker of the workload in another process. The program's arguments are the ledger's URL, Temporal's address,
 * and the file that keeps the bundle of the workflows.
 */
async function main([databaseUrl, address, bundleFile]: string[]): Promise<void> {
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
  await bundleInto(bundleFile!, plugin, logger);
  const worker = await Worker.create({
    ...{ connection, namespace: NAMESPACE, taskQueue: TASK_QUEUE, plugins: [plugin] },
    workflowBundle: { codePath: bundleFile! },
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

/**
 * Bundles the workflows once in a run, as a deployed worker has its bundle ready. To bundle them takes seconds of
 * processor time, and workers are killed every few seconds.
 */
async function bundleInto(file: string, plugin: EscapementPlugin, logger: Logger): Promise<void> {
  if (existsSync(file)) return;
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('./workflows.ts'),
    plugins: [plugin],
    logger,
  });
  // Two workers may bundle at the same time, so the file appears whole.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, code);
  renameSync(own, file);
}

void main(process.argv.slice(2));
