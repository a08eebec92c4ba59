import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject, it } from 'vitest';
import { connectTemporal } from '../../temporal/connection';
import { LIMITS } from '../../trigger/limits';
import { uniqueName } from '../support/ledger';
import { quietSdk } from '../support/quiet-sdk';
import { MirroredTemporal } from './mirror';
import { playTraces } from './traces';
import { openTraceDatabase } from './world';

const TRACES = { traces: 200, seed: 3, short: true };

it('plays the same traces on a real server, whose answers are the double’s', async () => {
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
  const { startDeadlineMilliseconds, stalledAfterMilliseconds } = LIMITS;
  const port = await connectTemporal(
    { address },
    { deadlineMilliseconds: startDeadlineMilliseconds, stalledAfterMilliseconds, identity: 'traces' },
  );
  const database = await openTraceDatabase(inject('databaseUrl'));
  try {
    const real = { port, client: new Client({ connection }), taskQueue };
    await playTraces(database, TRACES, (clock) => new MirroredTemporal(clock, real));
  } finally {
    await database.close();
    await port.close();
    worker.shutdown();
    await running;
    await connection.close();
    await nativeConnection.close();
  }
}, 600_000);
