import dns from 'node:dns';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { serve } from '../../server';
import { endConnectionsAtStop } from '../../server/connections-at-stop';
import { useApi } from '../support/api';
import { heldStatements, watchedPool } from '../support/connections/watched-pool';
import { someSchedule } from '../support/ledger';

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

it('a server that stops ends its requests while a bulk change ends, not after it', async () => {
  const { ledger } = api();
  await ledger.client.create(someSchedule());
  const isChange = (text: string) => text.startsWith('update') && text.includes('paused_until');
  const { before, letGo, held, untilClose } = heldStatements(ledger, isChange);
  const server = api().open({ connectionString: undefined as never, pool: watchedPool(ledger, { before }) });
  untilClose();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  await api().ask({ of: server, method: 'POST', url: '/v1/bulk/pause', body: { filter: { all: true } } });
  await expect.poll(held).toBe(1);
  const stopped = server.close();
  await expect.poll(() => server.app.server.listening).toBe(false);
  letGo();
  await stopped;
});

/** A client whose connection the server has accepted. */
async function connectionTo(
  server: { on(event: 'connection', listener: (socket: Socket) => void): unknown },
  port: number,
) {
  const accepted = new Promise<Socket>((resolve) => server.on('connection', resolve));
  const client = connect(port, '127.0.0.1');
  await accepted;
  return client;
}

it('a server stops although a browser has opened a connection ahead, and sends nothing on it', async () => {
  const server = api().open();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const client = await connectionTo(server.app.server, port);
  await server.close();
  client.destroy();
});

it('a server that stops cuts off a request that never ends', async () => {
  const app = Fastify();
  endConnectionsAtStop(app, 0);
  app.post('/', async () => 'read');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const client = await connectionTo(app.server, port);
  const begun = new Promise<void>((resolve) => app.server.on('request', () => resolve()));
  client.on('error', () => {});
  client.write('POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nhalf');
  await begun;
  await app.close();
  client.destroy();
});

it('a server on localhost has one address, though the name has several: at a stop, connections to others would stay', async () => {
  const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const lookup = dns.lookup as unknown as (host: string, options: object, done: (...found: unknown[]) => void) => void;
  const withBoth: typeof lookup = (host, options, done) =>
    'all' in options ? done(null, both) : lookup(host, options, done);
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(withBoth as never);
  const server = await serve({ connectionString: api().ledger.databaseUrl, host: 'localhost', port: 0 });
  spy.mockRestore();
  const port = Number(new URL(server.url).port);
  const reached = new Promise((resolve) => {
    const client = connect(port, '127.0.0.2', () => resolve(client.destroy()));
    client.on('error', ({ message }) => resolve(message));
  });
  expect(await reached).toMatch('ECONNREFUSED');
  await server.close();
});
