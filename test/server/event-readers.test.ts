import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createToken, endToken } from '../../server/access/tokens';
import { useApi } from '../support/api';
import { type EventReader, listen, type SentEvent } from '../support/events';

const api = useApi();
/** Between two heartbeats. */
const BEAT_MILLISECONDS = 15_000;

const postgres = () => ({ connectionString: api().ledger.databaseUrl });

async function bearer(name: string, tenant?: string) {
  const { token } = await createToken(postgres(), { name, scopes: ['read'], actor: 'ops', tenant });
  return { authorization: `Bearer ${token}` };
}

/** Alerts by number, each of 20 kB. */
const openAlerts = (from: number, to: number) =>
  api().ledger.query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, opened_at, last_seen_at, looked_at, count, text)
     select gen_random_uuid(), 'late', n::text, '', now(), now(), now(), n, repeat('x', 20000) from generate_series($1::int, $2::int) n`,
    [from, to],
  );

/** What was told, until the stream ends or breaks off. */
async function rest(reader: EventReader): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for (let event = await next(reader); event; event = await next(reader)) events.push(event);
  return events;
}

/** The requests for events that the server has counted, by their status. */
async function measured({ context }: Awaited<ReturnType<typeof listen>>['server']) {
  const { values } = await context.metrics.registry.getSingleMetric('escapement_api_requests_total')!.get();
  return values.flatMap(({ labels: { route, status }, value }) => (route === '/v1/events' ? [{ status, value }] : []));
}

const next = (reader: EventReader) => reader.next().catch(() => undefined);

it('a reader that does not read is let go, so that nothing more waits for it, and loses nothing once it comes back', async () => {
  const { server, read } = await listen(api());
  const sockets: Socket[] = [];
  server.app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const slow = await read();
  const [socket] = sockets;
  const letGo = once(socket!, 'close');
  await openAlerts(1, 1);
  const told = [await next(slow)];
  // Of 500 a page, which are more than 2 MiB and what the sockets hold.
  await openAlerts(2, 1_100);
  await letGo;
  told.push(...(await rest(slow)));
  const again = await read('/v1/events', { 'last-event-id': slow.lastId! });
  const alerts = () => told.filter((one) => one?.event === 'alert').map((one) => one!.data.count as number);
  let missing = 1_100 - alerts().length;
  told.push(...(await again.until(() => --missing === 0)));
  expect(alerts().sort((one, other) => one - other)).toEqual(Array.from({ length: 1_100 }, (_, at) => at + 1));
});

it('says each 15 seconds that it is there, also where nothing happens', async () => {
  const { read } = await listen(api());
  const reader = await read();
  const waiting = reader.next();
  for (const beats of [1, 2]) {
    api().ledger.clock.advance(BEAT_MILLISECONDS);
    await expect.poll(() => reader.comments, { timeout: 60_000 }).toEqual(Array(beats).fill(': heartbeat'));
  }
  reader.stop();
  expect(await waiting).toBeUndefined();
});

it('says that it is there after the ledger’s clock was set back an hour, too', async () => {
  const { read } = await listen(api());
  const reader = await read();
  const waiting = reader.next();
  api().ledger.clock.advance(-3_600_000);
  await expect.poll(() => reader.comments, { timeout: 60_000 }).toEqual([': heartbeat']);
  reader.stop();
  expect(await waiting).toBeUndefined();
});

it.each([
  ['was revoked', () => endToken(postgres(), 'reader', 'ops')],
  [
    'has expired',
    () =>
      api().ledger.query(`update escapement.api_tokens set expires_at = '2026-03-01T00:30:05Z' where name = 'reader'`),
  ],
])('ends the stream of a token that %s, and goes on with the others', async (_, end) => {
  const { read, server } = await listen(api());
  const [reader, other] = [
    await read('/v1/events', await bearer('reader')),
    await read('/v1/events', await bearer('other')),
  ];
  await end();
  api().ledger.clock.advance(BEAT_MILLISECONDS);
  expect(await reader.next()).toMatchObject({ event: 'end', data: { reason: 'unauthorized' } });
  expect(await reader.next()).toBeUndefined();
  await openAlerts(1, 1);
  expect(await other.next()).toMatchObject({ event: 'alert' });
  expect((await read('/v1/events', await bearer('third'))).response.status).toBe(200);
  expect(await measured(server)).toEqual([]);
});

it('refuses a tenant more readers than it leaves free, so that others can still read', async () => {
  const { read } = await listen(api());
  const [one, two, ofAnother] = [
    await bearer('one', 'acme'),
    await bearer('two', 'acme'),
    await bearer('of another', 'beta'),
  ];
  // Two tokens, since each may send 100 requests a second.
  const readers = await Promise.all(Array.from({ length: 140 }, (_, at) => read('/v1/events', at % 2 ? one : two)));
  const statuses = readers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(125);
  expect(statuses.filter((status) => status === 503)).toHaveLength(15);
  expect((await read('/v1/events', ofAnother)).response.status).toBe(200);
  expect((await read('/v1/events', await bearer('of everything'))).response.status).toBe(200);
  for (const reader of readers) reader.stop();
});

it('keeps no readers free for other tenants on a server that serves one tenant', async () => {
  const { read } = await listen(api(), { tenant: 'acme' });
  const [one, two] = [await bearer('one', 'acme'), await bearer('two', 'acme')];
  // Two tokens, since each may send 100 requests a second.
  const readers = await Promise.all(Array.from({ length: 126 }, (_, at) => read('/v1/events', at % 2 ? one : two)));
  expect(readers.filter(({ response }) => response.status === 200)).toHaveLength(126);
  for (const reader of readers) reader.stop();
});

it('counts a reader that is refused as any request, and no stream, however it ends', async () => {
  const { read, server } = await listen(api());
  const reader = await read('/v1/events');
  await read('/v1/events?event=nothing');
  await server.close();
  expect((await rest(reader)).at(-1)).toMatchObject({ event: 'end', data: { reason: 'stopping' } });
  expect(await measured(server)).toEqual([{ status: 400, value: 1 }]);
});

it('ends the stream of a token that was revoked while its reader catches up', async () => {
  const { read } = await listen(api());
  const headers = await bearer('reader');
  const before = await read('/v1/events', headers);
  await openAlerts(1, 1);
  await before.next();
  before.stop();
  await openAlerts(2, 1_100);
  const late = await read('/v1/events', { ...headers, 'last-event-id': before.lastId! });
  // The server waits for it behind the first page.
  const told = [await late.next()];
  await endToken(postgres(), 'reader', 'ops');
  api().ledger.clock.advance(BEAT_MILLISECONDS);
  told.push(...(await rest(late)));
  expect(told.at(-1)).toMatchObject({ event: 'end', data: { reason: 'unauthorized' } });
  expect(told.length).toBeLessThan(1_000);
});

it('keeps no stream for a reader that left before its stream began', async () => {
  const { read, server, url } = await listen(api());
  const { ledger } = api();
  const sockets: Socket[] = [];
  server.app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const locker = new Client({ connectionString: ledger.databaseUrl });
  await locker.connect();
  await locker.query('begin; lock table escapement.api_tokens');
  const gone = new AbortController();
  const asked = fetch(`${url}/v1/events`, { signal: gone.signal }).catch(() => undefined);
  const waiting =
    'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())';
  await expect.poll(() => ledger.query(waiting), { timeout: 60_000 }).toHaveLength(1);
  const closed = once(sockets[0]!, 'close');
  gone.abort();
  await Promise.all([asked, closed]);
  await locker.query('commit');
  await locker.end();
  const other = await read();
  const { values } = await server.context.metrics.registry.getSingleMetric('escapement_api_event_readers')!.get();
  expect(values.map(({ value }) => value)).toEqual([1]);
  other.stop();
});
