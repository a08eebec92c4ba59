import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { AT_ONCE } from '../../client/bulk/run-bulk';
import { createToken } from '../../server/access/tokens';
import { useApi } from '../support/api';
import { bulkOf } from '../support/bulk';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule } from '../support/ledger';

const api = useApi();
const { serving, schedules } = bulkOf(api);

async function bearer(name: string, scopes: ('read' | 'operate' | 'write')[], tenant?: string) {
  const postgres = { connectionString: api().ledger.databaseUrl };
  const { token } = await createToken(postgres, { name, scopes, tenant, actor: 'ops' });
  return { authorization: `Bearer ${token}` };
}

const paused = async () =>
  (await api().ask({ url: '/v1/schedules?paused=true' })).body.schedules.map(
    (one: { scheduleId: string }) => one.scheduleId,
  );

/** No operation ends before the returned function is called, whichever server carries it out. */
async function letNoneEnd(): Promise<() => Promise<unknown>> {
  const { ledger } = api();
  await ledger.query(`create function escapement.not_yet() returns trigger language plpgsql as
    $$ begin raise 'not yet'; end $$`);
  await ledger.query(`create trigger not_yet before update on escapement.bulk_operations for each row
    when (new.ended_at is not null) execute function escapement.not_yet()`);
  return () => ledger.query('drop function escapement.not_yet() cascade');
}

it('counts and shows first what matches, changes just that, and says how far it came and who asked', async () => {
  const ids = await schedules(6, { action: { ...someSchedule().action, taskQueue: 'billing' } });
  await api().ledger.client.create(someSchedule({ scheduleId: 'other' }));
  await api().ledger.client.getHandle('s-00').pause('by hand');
  const { ask, done } = serving();
  const filter = { query: "taskQueue = 'billing'" };
  const dry = await ask('/v1/bulk/pause', { filter, dryRun: true });
  expect(dry).toMatchObject({
    status: 200,
    body: { total: 6, unchanged: 1, schedules: [{ scheduleId: 's-00', paused: true }, {}, {}, {}, {}, {}] },
  });
  expect(await paused()).toEqual(['s-00']);
  expect(await ask('/v1/bulk/pause', { filter, expectedTotal: 5 })).toMatchObject({ status: 409, body: { total: 6 } });
  const asked = await ask('/v1/bulk/pause', { filter, expectedTotal: 6, note: 'a release' });
  expect(asked).toMatchObject({
    status: 202,
    body: { kind: 'pause', state: 'running', total: 6, left: 6, actor: 'api', filter },
  });
  expect(asked.headers.location).toBe(`/v1/operations/${asked.body.operationId}`);
  expect(await done(asked.body.operationId)).toMatchObject({
    state: 'done',
    changed: 5,
    unchanged: 1,
    failed: 0,
    left: 0,
    errors: [],
  });
  expect(await paused()).toEqual(ids);
  expect((await api().ledger.client.getHandle('s-00').describe()).state.note).toBe('by hand');
  expect((await api().ledger.client.getHandle('s-01').describe()).state).toMatchObject({
    note: 'a release',
    pausedBy: 'api',
  });
  const { body } = await ask('/v1/audit');
  expect(body.entries[0]).toMatchObject({ operation: 'bulkPause', status: 202, actor: 'api' });
});

it('takes back what it changed, but not what somebody changed since, and only once', async () => {
  await schedules(3, { state: { note: 'as it was' } });
  const { of, ask, done } = serving();
  const { client, clock } = api().ledger;
  const mayEnd = await letNoneEnd();
  const { body } = await ask('/v1/bulk/pause', { filter: { all: true } });
  expect(await ask(`/v1/operations/${body.operationId}/undo`, {})).toMatchObject({ status: 409 });
  await mayEnd();
  of.bulk.wake();
  await done(body.operationId);
  clock.advance(1_000);
  await client.getHandle('s-01').pause('held by a person');
  const undo = await ask(`/v1/operations/${body.operationId}/undo`, {});
  expect(undo).toMatchObject({ status: 202, body: { undoes: body.operationId, total: 3 } });
  expect(await done(undo.body.operationId)).toMatchObject({ state: 'done', changed: 2, unchanged: 1 });
  expect(await paused()).toEqual(['s-01']);
  expect((await client.getHandle('s-00').describe()).state.note).toBe('as it was');
  expect(await done(body.operationId)).toMatchObject({ undoneBy: undo.body.operationId });
  expect(await ask(`/v1/operations/${body.operationId}/undo`, {})).toMatchObject({
    status: 409,
    body: { type: expect.stringContaining('cannot-undo') },
  });
});

it('fires what matches once, says what refused, and cannot take that back', async () => {
  await schedules(2);
  const { ask, done } = serving();
  await api().ledger.client.freezes.create({ scheduleIds: ['s-01'], to: new Date('2027-01-01Z') });
  const key = { 'idempotency-key': 'once' };
  const asked = () => ask('/v1/bulk/trigger', { filter: { text: 's-0' }, perSecond: 1_000 }, key);
  const { body } = await asked();
  expect((await asked()).body.operationId).toBe(body.operationId);
  const ended = await done(body.operationId);
  expect(ended).toMatchObject({
    changed: 1,
    failed: 1,
    errors: [{ scheduleId: 's-01', error: expect.stringContaining('frozen') }],
  });
  expect(await api().ledger.firings('s-00')).toHaveLength(1);
  const failed = await ask(`/v1/operations/${body.operationId}/schedules?outcome=failed`);
  expect(failed.body).toEqual({ schedules: [{ scheduleId: 's-01', outcome: 'failed', error: ended.errors[0].error }] });
  expect((await ask(`/v1/operations/${body.operationId}/undo`, {})).status).toBe(409);
});

it('fires each once where two servers work at once and one stops in the middle', async () => {
  await schedules(24);
  const stopped = serving();
  let settled = 0;
  // The other server loses its connections in the middle of a schedule, after it has changed some.
  const pool = watchedPool(api().ledger, {
    before: (text) => {
      if (/update .*bulk_schedules/.test(text) && ++settled > 5) throw new Error('killed');
    },
  });
  const dying = serving({ connectionString: undefined as never, pool });
  const mayEnd = await letNoneEnd();
  const { body } = await dying.ask('/v1/bulk/trigger', { filter: { all: true }, perSecond: 10_000 });
  await dying.of.bulk.idle();
  expect((await stopped.ask(`/v1/operations/${body.operationId}`)).body).toMatchObject({ state: 'running' });
  await mayEnd();
  await api().ledger.query(`update escapement.bulk_operations set leased_until = now() - interval '1 second'`);
  const another = serving();
  stopped.of.bulk.wake();
  another.of.bulk.wake();
  await another.of.bulk.idle();
  expect(await stopped.done(body.operationId)).toMatchObject({ state: 'done', changed: 24, failed: 0 });
  const rows = await api().ledger.query(
    `select schedule_id, count(*)::int as count from escapement.firings group by 1 having count(*) <> 1`,
  );
  expect(rows).toEqual([]);
  expect(await api().ledger.query(`select count(*)::int as count from escapement.firings`)).toEqual([{ count: 24 }]);
});

it('lets a slow operation hold up none of another tenant or kind, and leaves all to others once it stops', async () => {
  const { ledger } = api();
  const { client } = ledger;
  for (const n of Array(20).keys()) await client.create(someSchedule({ scheduleId: `a-${n}`, tenant: 'a' }));
  await client.create(someSchedule({ scheduleId: 'of-b', tenant: 'b' }));
  const [operator, a, b] = [
    await bearer('operator', ['read', 'operate']),
    await bearer('a', ['operate'], 'a'),
    await bearer('b', ['operate'], 'b'),
  ];
  const { ask, of, done } = serving();
  const slow = [
    await ask('/v1/bulk/trigger', { filter: { tenant: 'a' }, perSecond: 0.5 }, operator),
    await ask('/v1/bulk/pause', { filter: { all: true }, perSecond: 0.5 }, a),
  ];
  const others = [
    await ask('/v1/bulk/pause', { filter: { tenant: 'b' } }, operator),
    await ask('/v1/bulk/pause', { filter: { all: true } }, b),
  ];
  for (const { body } of others) {
    expect(await done(body.operationId, operator)).toMatchObject({ state: 'done', total: 1 });
  }
  for (const { body } of slow) {
    expect((await ask(`/v1/operations/${body.operationId}`, undefined, operator)).body.state).toBe('running');
  }
  await of.bulk.stop();
  expect(
    await ledger.query('select from escapement.bulk_operations where ended_at is null and leased_until is not null'),
  ).toEqual([]);
});

it('carries out those of one tenant and kind in the order in which they were asked for', async () => {
  await schedules(4);
  const { ask, done } = serving();
  await ask('/v1/bulk/pause', { filter: { all: true }, perSecond: 0.5 });
  const { body } = await ask('/v1/bulk/unpause', { filter: { all: true } });
  expect(await done(body.operationId)).toMatchObject({ state: 'done', changed: 4 });
  expect(await paused()).toEqual([]);
});

it('lets none wait for an earlier one that has changed the same schedules already, or changes others', async () => {
  const ids = await schedules(20);
  await api().ledger.client.create(someSchedule({ scheduleId: 'other' }));
  const { ask, of, done } = serving();
  const slow = await ask('/v1/bulk/unpause', { filter: { scheduleIds: ids }, perSecond: 0.5 });
  const { operationId } = slow.body;
  await expect.poll(async () => (await ask(`/v1/operations/${operationId}`)).body.left).toBeLessThan(20);
  api().ledger.clock.advance(1);
  for (const scheduleId of ['s-00', 'other']) {
    const { body } = await ask('/v1/bulk/pause', { filter: { scheduleIds: [scheduleId] } });
    expect(await done(body.operationId)).toMatchObject({ state: 'done', changed: 1 });
  }
  expect((await ask(`/v1/operations/${operationId}`)).body.state).toBe('running');
  await of.bulk.stop();
});

it('leaves connections to requests while every schedule of it is locked by others', async () => {
  const { ledger } = api();
  // Two at a time wait for two seconds each, for as long as the test may look for such a moment.
  await schedules(60);
  const holder = new Client({ connectionString: ledger.databaseUrl });
  await holder.connect();
  ledger.beforeClose(() => holder.end());
  await holder.query('begin; select from escapement.schedules for update');
  const { ask, of } = serving();
  // Taken before: what is asked for below needs but one connection at a time.
  expect((await ask('/v1/bulk/pause', { filter: { all: true } })).status).toBe(202);
  const waiting = () =>
    ledger.query(`select pid, query_start::text from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and backend_type = 'client backend' order by pid`);
  // Where no connection is left, a request waits until one of these attempts has given up.
  await expect
    .poll(async () => {
      const before = await waiting();
      const { status } = await ask('/v1/triggers');
      return { status, waiting: before.length, isSame: isDeepStrictEqual(await waiting(), before) };
    })
    .toEqual({ status: 200, waiting: AT_ONCE, isSame: true });
  await holder.query('rollback');
  await of.bulk.idle();
});

it('leaves the rest undone once it is cancelled', async () => {
  await schedules(9);
  const { ask, of, done } = serving();
  const { body } = await ask('/v1/bulk/trigger', { filter: { all: true }, perSecond: 0.5 });
  const cancelled = await ask(`/v1/operations/${body.operationId}/cancel`, {});
  expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled', cancelledBy: 'api' } });
  await of.bulk.stop();
  const { changed, left } = await done(body.operationId);
  expect(changed + left).toBe(9);
  expect(left).toBeGreaterThan(0);
});

it('keeps tenants apart, and refuses who may not, what names nothing and what cannot be', async () => {
  const { ledger } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'of-a', tenant: 'a' }));
  await ledger.client.create(someSchedule({ scheduleId: 'of-b', tenant: 'b' }));
  const [a, b, reader] = [
    await bearer('a', ['read', 'operate'], 'a'),
    await bearer('b', ['read', 'operate'], 'b'),
    await bearer('r', ['read'], 'a'),
  ];
  const { ask } = serving();
  const { body } = await ask('/v1/bulk/pause', { filter: { all: true } }, a);
  expect(body).toMatchObject({ total: 1, tenant: 'a', actor: 'a', token: 'a' });
  await expect
    .poll(() => ledger.query(`select schedule_id from escapement.schedules where paused`))
    .toEqual([{ schedule_id: 'of-a' }]);
  for (const url of [`/v1/operations/${body.operationId}`, `/v1/operations/${body.operationId}/schedules`]) {
    expect((await ask(url, undefined, b)).status).toBe(404);
  }
  expect((await ask(`/v1/operations/${body.operationId}/undo`, {}, b)).status).toBe(404);
  expect((await ask('/v1/operations', undefined, b)).body).toEqual({ operations: [] });
  expect((await ask('/v1/bulk/pause', { filter: { all: true } }, reader)).status).toBe(403);
  expect((await ask('/v1/bulk/tag', { filter: { all: true }, owner: 'x' }, a)).status).toBe(403);
  expect(await ask('/v1/bulk/pause', { filter: { tenant: 'b' } }, a)).toMatchObject({ status: 400 });
  expect(await ask('/v1/bulk/pause', { filter: {} }, a)).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'filter.all' }] },
  });
  expect(await ask('/v1/bulk/pause', { filter: { query: '', paused: false } }, a)).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'filter.query' }] },
  });
  expect(await ask('/v1/bulk/pause', { filter: { query: 'pausd = true' } }, a)).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'query', position: 1 }] },
  });
  expect(await ask('/v1/bulk/pause', { filter: { all: true }, until: 'soon' }, a)).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'until' }] },
  });
});
