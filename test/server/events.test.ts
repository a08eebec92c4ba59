import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createToken, endToken } from '../../server/access/tokens';
import { isTooOld } from '../../server/events/position';
import { openapi } from '../../server/openapi';
import { operations } from '../../server/routes';
import { openStore } from '../../store/connection';
import { readChangedFirings, readSnapshot } from '../../store/reads/changes';
import { useApi } from '../support/api';
import { watchedPool } from '../support/connections/watched-pool';
import { listen } from '../support/events';
import { someSchedule } from '../support/ledger';
import { mostRead } from '../support/statements/plans';

const api = useApi();

const listening = (options: Parameters<typeof listen>[1] = {}) => listen(api(), options);

async function connected(): Promise<Client> {
  await api().ledger.query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  const client = new Client({ connectionString: api().ledger.databaseUrl });
  await client.connect();
  api().ledger.beforeClose(() => client.end());
  return client;
}

const insert = (db: Client, scheduleId: string, minute: number) =>
  db.query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
     values ($1, '2026-03-01T00:00:00Z'::timestamptz + make_interval(mins => $2), 'buffered', 'schedule', 'default', 1, now())`,
    [scheduleId, minute],
  );

const skip = (db: Client, scheduleId: string, minute: number) =>
  db.query(
    `update escapement.firings set state = 'skipped', reason = 'overlap'
     where schedule_id = $1 and scheduled_time = '2026-03-01T00:00:00Z'::timestamptz + make_interval(mins => $2)`,
    [scheduleId, minute],
  );

it('tells a firing and an alert as they come to be, in the words of the API', async () => {
  const { ledger, ask } = api();
  const handle = await ledger.client.create(someSchedule({ scheduleId: 'nightly' }));
  const { read } = await listening();
  const reader = await read();
  expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await handle.trigger();
  const firing = await reader.next();
  const { body } = await ask({ url: '/v1/firings' });
  expect(firing).toEqual({ id: expect.any(String), event: 'firing', data: body.firings[0] });
  const alertId = await openAlert('nightly', '');
  expect(await reader.next()).toMatchObject({ event: 'alert', data: { alertId, resolvedAt: null } });
  const acknowledged = await ask({ method: 'POST', url: `/v1/alerts/${alertId}/ack` });
  expect(await reader.next()).toMatchObject({ event: 'alert', data: acknowledged.body });
});

async function openAlert(scheduleId: string, tenant: string): Promise<string> {
  const alertId = randomUUID();
  await api().ledger.query(
    `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
     values ($1, 'late', $2, $3, $2, now(), now(), now(), 1, 'is late')`,
    [alertId, scheduleId, tenant],
  );
  return alertId;
}

it('loses and doubles nothing across reconnects while writers commit in another order than they began', async () => {
  const { ledger } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'nightly' }));
  const servers = [await listening(), await listening()];
  const writers = await Promise.all(Array.from({ length: 8 }, connected));
  const told: string[] = [];
  let reader = await servers[0]!.read();
  let reconnects = 0;
  /** The reader goes on, and moves to the other server after each few events. */
  const readUntil = async (count: number) => {
    while (told.length < count) {
      const event = await reader.next();
      told.push(`${event!.data.scheduledTime} ${event!.data.state}`);
      if (told.length % 7 !== 0) continue;
      reader.stop();
      reconnects++;
      reader = await servers[reconnects % 2]!.read('/v1/events', { 'last-event-id': reader.lastId! });
    }
  };
  const minutes = Array.from({ length: 96 }, (_, minute) => minute);
  const expected: string[] = [];
  for (const write of [insert, skip]) {
    const reading = readUntil(expected.length + minutes.length);
    for (let first = 0; first < minutes.length; first += writers.length) {
      // All transactions begin, and get their numbers, before any of them commits. The last one that began commits
      // first.
      for (const [place, db] of writers.entries()) {
        await db.query('begin');
        await write(db, 'nightly', first + place);
      }
      for (const db of [...writers].reverse()) await db.query('commit');
    }
    for (const minute of minutes) {
      const time = new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
      expected.push(`${time} ${write === insert ? 'buffered' : 'skipped'}`);
    }
    await reading;
  }
  await insert(writers[0]!, 'nightly', 600);
  await readUntil(expected.length + 1);
  expected.push('2026-03-01T10:00:00.000Z buffered');
  expect([...told].sort()).toEqual([...expected].sort());
  expect(reconnects).toBeGreaterThan(20);
});

it('tells what was committed while a transaction that began before stays open, and that one once it commits', async () => {
  const { read } = await listening();
  const [early, late] = [await connected(), await connected()];
  await early.query('begin');
  await insert(early, 'early', 0);
  let reader = await read();
  await insert(late, 'late', 0);
  expect(await reader.next()).toMatchObject({ data: { scheduleId: 'late' } });
  reader.stop();
  await early.query('commit');
  reader = await read('/v1/events', { 'last-event-id': reader.lastId! });
  expect(await reader.next()).toMatchObject({ data: { scheduleId: 'early' } });
});

it('reads what was committed once, however long a transaction that began before stays open', async () => {
  const { ledger } = api();
  const [early, late] = [await connected(), await connected()];
  await early.query('begin');
  await insert(early, 'early', 0);
  await insertMany('read', 2_000);
  await ledger.query('analyze escapement.firings');
  const sent: [string, unknown[]][] = [];
  const before = (text: string, values: unknown[]) => sent.push([text, values]);
  const store = openStore({ pool: watchedPool(ledger, { before }) });
  ledger.beforeClose(() => store.close());
  const { snapshot: from } = await readSnapshot(store);
  await insert(late, 'late', 0);
  await early.query('commit');
  const { snapshot: to } = await readSnapshot(store);
  const changed = await readChangedFirings(store, { from, to }, undefined, 500);
  expect(changed.map(({ scheduleId }) => scheduleId)).toEqual(['early', 'late']);
  const [text, values] = sent.at(-1)!;
  const [row] = await ledger.query(`explain (analyze, format json) ${text}`, values);
  expect(mostRead(row!['QUERY PLAN'][0].Plan)).toBeLessThan(10);
});

it('shows a tenant its own alone, also of what it has missed, and filters by schedule, kind and state', async () => {
  const { ledger } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'of-b', tenant: 'b' }));
  await ledger.client.create(someSchedule({ scheduleId: 'of-a', tenant: 'a' }));
  await ledger.client.create(someSchedule({ scheduleId: 'of-a-too', tenant: 'a' }));
  const postgres = { connectionString: ledger.databaseUrl };
  const { token } = await createToken(postgres, { name: 'a', scopes: ['read'], tenant: 'a', actor: 'ops' });
  const headers = { authorization: `Bearer ${token}` };
  const { read } = await listening();
  const [all, one, skipped, alerts] = [
    await read('/v1/events', headers),
    await read('/v1/events?scheduleId=of-a-too', headers),
    await read('/v1/events?state=skipped&event=firing', headers),
    await read('/v1/events?event=alert', headers),
  ];
  const db = await connected();
  await insert(db, 'of-a', 1);
  const start = (await all.next())!.id!;
  for (const scheduleId of ['of-b', 'of-a', 'of-a-too']) await insert(db, scheduleId, 0);
  const alertId = await openAlert('of-a', 'a');
  await openAlert('of-b', 'b');
  await skip(db, 'of-b', 0);
  await skip(db, 'of-a', 0);
  const isSkipped = ({ data }: { data: { state?: string } }) => data.state === 'skipped';
  const seen = [...(await all.until(isSkipped)).map(({ data }) => data.scheduleId)];
  expect(new Set(seen)).not.toContain('of-b');
  expect(await one.next()).toMatchObject({ data: { scheduleId: 'of-a-too' } });
  expect(await skipped.next()).toMatchObject({ data: { scheduleId: 'of-a', state: 'skipped' } });
  expect(await alerts.next()).toMatchObject({ data: { alertId } });
  await insert(db, 'of-a', 9);
  const again = await read('/v1/events', { ...headers, 'last-event-id': start });
  const missed = await again.until(({ data }) => data.scheduledTime === '2026-03-01T00:09:00.000Z');
  expect(new Set(missed.map(({ data }) => data.scheduleId))).not.toContain('of-b');
});

/** Firings of a schedule, one each second. */
const insertMany = (scheduleId: string, count: number) =>
  api().ledger.query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
     select $1, '2026-03-01T00:00:00Z'::timestamptz + make_interval(secs => n), 'buffered', 'schedule', 'default', 1, now()
     from generate_series(1, $2) n`,
    [scheduleId, count],
  );

const decoded = (id: string): string[] => JSON.parse(Buffer.from(id, 'base64url').toString());

/** Lets a reader of tenant a give positions of its own making. */
async function forging() {
  const { ledger } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'of-b', tenant: 'b' }));
  await ledger.client.create(someSchedule({ scheduleId: 'of-a', tenant: 'a' }));
  const postgres = { connectionString: ledger.databaseUrl };
  const { token } = await createToken(postgres, { name: 'a', scopes: ['read'], tenant: 'a', actor: 'ops' });
  const headers = { authorization: `Bearer ${token}` };
  const { read } = await listening();
  const before = await read('/v1/events', headers);
  const db = await connected();
  await insert(db, 'of-a', 0);
  const [incarnation] = decoded((await before.next())!.id!);
  before.stop();
  return (position: string[]) =>
    read('/v1/events', {
      ...headers,
      'last-event-id': Buffer.from(JSON.stringify([incarnation, ...position])).toString('base64url'),
    });
}

it('names nothing of another tenant in the ID of a position, whatever position its reader gives', async () => {
  const read = await forging();
  await insertMany('of-b', 1_100);
  await openAlert('of-b', 'b');
  await insert(await connected(), 'of-a', 60);
  const reader = await read(['1:1:']);
  await reader.until(({ data }) => data.scheduledTime === '2026-03-01T01:00:00.000Z');
  await insert(await connected(), 'of-a', 61);
  await reader.until(({ data }) => data.scheduledTime === '2026-03-01T01:01:00.000Z');
  const places = reader.ids.map(decoded).filter((parts) => parts.length > 2);
  expect(new Set(places.map((parts) => parts[4]))).toEqual(new Set(['of-a']));
});

it('lets a reader who has missed very much read all data again, instead of the whole ledger to it alone', async () => {
  const read = await forging();
  await insertMany('of-b', 20_500);
  const reader = await read(['1:1:']);
  expect((await reader.until(({ event }) => event === 'reset')).at(-1)).toMatchObject({
    data: { reason: expect.stringContaining('read all data again') },
  });
  await insert(await connected(), 'of-a', 61);
  expect(await reader.next()).toMatchObject({ data: { scheduledTime: '2026-03-01T01:01:00.000Z' } });
});

it('takes a position for too old if Postgres would read the changes of a million transactions from there', () => {
  const now = { incarnation: 'a', snapshot: '1000100:1000200:1000100' };
  const isOld = (from: string) => isTooOld({ incarnation: 'a', from }, now);
  expect(['200:200:', '99:1000200:99', '99:199:99', '99:99:'].map(isOld)).toEqual([false, false, true, true]);
});

it('refuses who may not read, an ID of no event, and what it does not know', async () => {
  const { ask, ledger } = api();
  for (const id of [
    'x',
    Buffer.from('["a","5:4:"]').toString('base64url'),
    Buffer.from('["a","3:9:5,4"]').toString('base64url'),
  ]) {
    expect(await ask({ url: '/v1/events', headers: { 'last-event-id': id } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'Last-Event-ID' }] },
    });
  }
  expect(await ask({ url: '/v1/events?schedule=x' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'schedule' }] },
  });
  const postgres = { connectionString: ledger.databaseUrl };
  const { token } = await createToken(postgres, { name: 'w', scopes: ['write'], actor: 'ops' });
  expect((await ask({ url: '/v1/events' })).status).toBe(401);
  expect((await ask({ url: '/v1/events', headers: { authorization: `Bearer ${token}` } })).status).toBe(403);
  await endToken(postgres, 'w', 'ops');
  expect((await ask({ url: '/v1/events', headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
});

it('says that events are missing where the ID is of another database, and goes on', async () => {
  const { read } = await listening();
  const former = Buffer.from(JSON.stringify(['another', '900:900:'])).toString('base64url');
  const reader = await read('/v1/events', { 'last-event-id': former });
  expect(await reader.next()).toMatchObject({
    event: 'reset',
    data: { reason: expect.stringContaining('read all data again') },
  });
  await insert(await connected(), 'nightly', 0);
  expect(await reader.next()).toMatchObject({ event: 'firing' });
});

it('ends its streams with a word when the server stops, below a base path too, and is in no OpenAPI document', async () => {
  const { server, read } = await listening({ basePath: '/escapement' });
  const reader = await read('/escapement/v1/events');
  expect(reader.response.status).toBe(200);
  const ended = reader.until(({ event }) => event === 'end');
  await server.close();
  expect((await ended).at(-1)).toMatchObject({ event: 'end', data: { reason: 'stopping' } });
  expect(Object.keys(openapi(operations, '').paths as object)).not.toContain('/v1/events');
});
