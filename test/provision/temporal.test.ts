import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { DataDirectoryInUseError, provideTemporal, provideTestServer } from '../../provision';
import { run } from '../../provision/run';
import { startSkippingServer } from '../../testing/start-server';

/** Calls `use` with a client; a workflow without a worker is enough to see that the server took it. */
async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

const start = (client: Client, workflowId: string) =>
  client.workflow.start('nothing', { workflowId, taskQueue: 'nobody' });

test('a given server that answers is used', async () => {
  const own = await provideTemporal({});
  try {
    const given = await provideTemporal({ address: own.address });
    expect(given).toMatchObject({ address: own.address, source: 'TEMPORAL_ADDRESS', namespace: 'default' });
    await given.stop();
    await withClient(own.address, (client) => start(client, 'still-there'));
  } finally {
    await own.stop();
  }
});

test('two start side by side, usable at once, with a Web UI each', async () => {
  const both = await Promise.all([provideTemporal({ ui: true }), provideTemporal({ ui: true })]);
  try {
    for (const { address, uiUrl } of both) {
      await withClient(address, (client) => start(client, 'the-same-id'));
      expect((await fetch(uiUrl!)).status).toBe(200);
    }
  } finally {
    await Promise.all(both.map((one) => one.stop()));
  }
});

test('a data directory keeps the workflows and belongs to one server at a time', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'escapement-temporal-test-'));
  try {
    const first = await provideTemporal({ dataDirectory });
    try {
      await withClient(first.address, (client) => start(client, 'kept'));
      await expect(provideTemporal({ dataDirectory })).rejects.toThrow(DataDirectoryInUseError);
    } finally {
      await first.stop();
    }
    const second = await provideTemporal({ dataDirectory });
    try {
      const { status } = await withClient(second.address, (client) => client.workflow.getHandle('kept').describe());
      expect(status.name).toBe('RUNNING');
    } finally {
      await second.stop();
    }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('the test server skips time', async () => {
  const { executablePath } = await provideTestServer({});
  const environment = await startSkippingServer(executablePath);
  try {
    const before = await environment.currentTimeMs();
    await environment.sleep('30 days');
    expect((await environment.currentTimeMs()) - before).toBeGreaterThanOrEqual(30 * 24 * 3_600_000);
  } finally {
    await environment.teardown();
  }
});

test('the test server that Maven fetched loads its classes from an archive, so that a busy machine starts it in time', async () => {
  const { executablePath, source } = await provideTestServer({});
  if (source !== 'Maven') return;
  const environment = { JAVA_TOOL_OPTIONS: '-Xlog:class+load' };
  const { output } = await run(executablePath, [], { environment });
  expect(output).toMatch(/io\.temporal\.testserver\.TestServer source: shared objects file \(top\)/);
});
