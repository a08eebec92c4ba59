import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import { connectTemporal } from '../../temporal/connection';
import { LIMITS } from '../../trigger/limits';
import { uniqueName } from '../support/ledger';
import { quietSdk } from '../support/quiet-sdk';
import { MirroredTemporal } from './mirror';
import { playTraces, type TraceRun } from './traces';
import { openTraceDatabase } from './world';

/** Play random traces on the double and on the tests' real server at once. */
export async function playOnServer(traces: TraceRun): Promise<void> {
  quietSdk();
  const address = inject('temporalAddress');
  const nativeConnection = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const taskQueue = uniqueName('traces');
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowsPath: require.resolve('./workflows.ts'),
  });
  const running = worker.run();
  const { stalledAfterMilliseconds } = LIMITS;
  const port = await connectTemporal(
    { address },
    // The double answers at once: a call that the server took long over would be answered otherwise.
    { deadlineMilliseconds: 60_000, stalledAfterMilliseconds, identity: 'traces' },
  );
  const database = await openTraceDatabase(inject('databaseUrl'));
  try {
    const real = { port, client: new Client({ connection }), taskQueue };
    await playTraces(database, { ...traces, short: true }, (clock) => new MirroredTemporal(clock, real));
  } finally {
    await database.close();
    await port.close();
    worker.shutdown();
    await running;
    await connection.close();
    await nativeConnection.close();
  }
}
