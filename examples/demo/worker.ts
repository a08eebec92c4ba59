import { createWriteStream } from 'node:fs';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { createActivities } from './activities';
import type { Cleanup } from './cleanup';

/** A plain Temporal worker in this process. It does not know about schedules. */
export async function startWorker(
  options: {
    temporalAddress: string;
    namespace: string;
    taskQueue: string;
    activities: ReturnType<typeof createActivities>;
    logFile: string;
    onFailed: (error: Error) => void;
  },
  cleanup: Cleanup,
): Promise<void> {
  const { temporalAddress, namespace, taskQueue, activities, logFile } = options;
  const log = createWriteStream(logFile);
  Runtime.install({
    // The demo stops its worker after the drain.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', ({ level, timestampNanos, message, meta }) => {
      const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
      log.write(
        `${JSON.stringify({ time, level, message, ...meta, error: String(meta?.error ?? '') || undefined })}\n`,
      );
    }),
    telemetryOptions: { logging: { forward: {}, filter: 'error' } },
  });
  const connection = await NativeConnection.connect({ address: temporalAddress });
  cleanup.add('closing the connection of the worker', () => connection.close());
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowsPath: require.resolve('./workflows'),
    activities,
    shutdownGraceTime: '1 second',
    shutdownForceTime: '5 seconds',
  });
  const running = worker.run().catch(options.onFailed);
  cleanup.add('stopping the worker', async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await running;
  });
}
