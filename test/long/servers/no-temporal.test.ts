import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, it, vi } from 'vitest';
import { NoWayFoundError, provideTemporal, provideTestServer } from '../../../provision';

// Each way that leads nowhere is tried for seconds.

it('a given address that accepts connections but stays silent is reported and passed over', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as { port: number }).port}`;
  const messages: string[] = [];
  const temporal = await provideTemporal({ address, onProgress: (message) => messages.push(message) });
  try {
    expect(temporal.address).not.toBe(address);
    expect(messages[0]).toBe(`Temporal: no server answers at ${address} (TEMPORAL_ADDRESS); trying the next way`);
    const connection = await Connection.connect({ address: temporal.address });
    await new Client({ connection }).workflow.start('nothing', { workflowId: 'anything', taskQueue: 'nobody' });
    await connection.close();
  } finally {
    await temporal.stop();
    silent.close();
  }
});

it('when every way is closed, one error lists them all', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'escapement-no-way-test-'));
  vi.stubEnv('PATH', empty);
  vi.stubEnv('XDG_CACHE_HOME', empty);
  // The SDK's download cannot pass a proxy that refuses connections.
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) vi.stubEnv(name, 'http://127.0.0.1:1');
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '127.0.0.1');
  try {
    const error = await provideTemporal({ address: '127.0.0.1:1' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(NoWayFoundError);
    for (const way of ['TEMPORAL_ADDRESS', 'PATH', '@temporalio/testing', 'Go']) expect(error.message).toContain(way);
    expect(error.tried).toHaveLength(4);

    const noTestServer = await provideTestServer({}).catch((thrown) => thrown);
    expect(noTestServer).toBeInstanceOf(NoWayFoundError);
    for (const way of ['@temporalio/testing', 'Java', 'Maven']) expect(noTestServer.message).toContain(way);
  } finally {
    vi.unstubAllEnvs();
    await rm(empty, { recursive: true, force: true });
  }
});
