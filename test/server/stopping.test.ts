import { Agent, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { useApi } from '../support/api';
import { heldStatements, watchedPool } from '../support/connections/watched-pool';

const api = useApi();

it('a server that stops answers the requests under way, and ends the connections that their clients would keep', async () => {
  const { ledger } = api();
  const { before, letGo, held, untilClose } = heldStatements(ledger, (text) => text.includes('firing_counts'));
  const server = api().open({ connectionString: undefined as never, pool: watchedPool(ledger, { before }) });
  untilClose();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/v1/stats', agent }, resolve).on('error', reject);
  });
  await expect.poll(held).toBe(1);
  const stopped = server.close();
  await expect.poll(() => server.app.server.listening).toBe(false);
  letGo();
  const { statusCode, headers } = (await answer).resume();
  expect({ statusCode, connection: headers.connection }).toEqual({ statusCode: 200, connection: 'close' });
  await stopped;
  agent.destroy();
});
