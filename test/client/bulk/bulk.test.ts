import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { paceOf } from '../../../client/bulk/pace';
import type { BulkStatus } from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { abortedAtOnce, bulkOn } from './bulk-on';

const ledger = useLedger('2026-03-01T00:30:00Z');
const { schedules, paused } = bulkOn(ledger);

it('plans and changes what matches alone, says how far it is and who did it, and takes that back', async () => {
  const ids = await schedules(5, { action: { ...someSchedule().action, taskQueue: 'billing' } });
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'other' }));
  await client.getHandle('s-00').pause('by hand');
  const filter = { query: "taskQueue = 'billing'" };
  expect(await client.bulk.plan('pause', filter)).toMatchObject({
    total: 5,
    unchanged: 1,
    schedules: [{ scheduleId: 's-00', paused: true }, {}, {}, {}, {}],
  });
  await expect(client.bulk.pause(filter, { expectedTotal: 4 })).rejects.toMatchObject({
    name: 'OtherTotalError',
    total: 5,
  });
  expect(await paused()).toEqual(['s-00']);
  const told: BulkStatus[] = [];
  const progress = (status: BulkStatus) => void told.push(status);
  const done = await client.bulk.pause(filter, { expectedTotal: 5, note: 'a release', until: '2 hours', progress });
  expect(done).toMatchObject({ state: 'done', total: 5, changed: 4, unchanged: 1, failed: 0, left: 0, errors: [] });
  expect(told[0]).toMatchObject({ state: 'running', left: 5 });
  expect(told.at(-1)).toEqual(done);
  expect(await paused()).toEqual(ids);
  expect((await client.getHandle('s-01').describe()).state).toMatchObject({
    note: 'a release',
    pausedBy: 'test',
    pausedUntil: new Date('2026-03-01T02:30:00Z'),
  });
  ledger().clock.advance(1_000);
  await client.getHandle('s-02').pause('held by a person');
  const undone = await client.bulk.undo(done.operationId);
  expect(undone).toMatchObject({ undoes: done.operationId, changed: 3, unchanged: 1 });
  expect(await paused()).toEqual(['s-00', 's-02']);
  await expect(client.bulk.undo(done.operationId)).rejects.toMatchObject({ name: 'CannotUndoError' });
  expect(await client.bulk.unpause({ paused: true })).toMatchObject({ changed: 2 });
  await expect(client.bulk.follow(randomUUID())).rejects.toMatchObject({ name: 'OperationNotFoundError' });
});

it('reads the end of a pause in the zone of each schedule, and refuses one that is over in every zone', async () => {
  const { client } = ledger();
  const spec = (timezone: string) => ({ ...someSchedule().spec, timezone });
  await client.create(someSchedule({ scheduleId: 'los-angeles', spec: spec('America/Los_Angeles') }));
  await client.create(someSchedule({ scheduleId: 'tokyo', spec: spec('Asia/Tokyo') }));
  // It is 16:30 of February 28 in Los Angeles, and 09:30 of March 1 in Tokyo.
  const done = await client.bulk.pause({ all: true }, { until: '2026-02-28T18:00' });
  expect(done).toMatchObject({ changed: 1, failed: 1, errors: [{ scheduleId: 'tokyo' }] });
  expect((await client.getHandle('los-angeles').describe()).state.pausedUntil).toEqual(
    new Date('2026-03-01T02:00:00Z'),
  );
  await expect(client.bulk.pause({ all: true }, { until: '2026-02-28T12:30' })).rejects.toMatchObject({
    name: 'InvalidOptionError',
    path: 'until',
  });
  await expect(client.bulk.pause({ all: true }, { until: 0 })).rejects.toMatchObject({
    name: 'InvalidOptionError',
    path: 'until',
    problem: 'is neither a Date in the years 1 to 9999, a text nor a whole number of milliseconds from 1',
  });
});

it('tags what matches, and says of each that refuses why', async () => {
  await schedules(2, { owner: 'ops', searchAttributes: { Team: ['billing'] } });
  const { client } = ledger();
  const tags = { owner: null, searchAttributes: { Team: null, Region: ['eu'] } };
  expect(await client.bulk.tag({ owner: 'ops' }, tags)).toMatchObject({ changed: 2 });
  const described = await client.getHandle('s-00').describe();
  expect(described.owner).toBeUndefined();
  expect(described.searchAttributes).toMatchObject({ Region: ['eu'] });
  expect(described.searchAttributes).not.toHaveProperty('Team');
  await client.freezes.create({ scheduleIds: ['s-01'], to: new Date('2027-01-01Z') });
  const fired = await client.bulk.trigger({ scheduleIds: ['s-00', 's-01'] });
  expect(fired).toMatchObject({
    state: 'done',
    changed: 1,
    failed: 1,
    errors: [{ scheduleId: 's-01', error: expect.stringContaining('frozen') }],
  });
  await expect(client.bulk.undo(fired.operationId)).rejects.toThrow('firings cannot be undone');
});

it('tags with dates as create does', async () => {
  const { client } = ledger();
  const searchAttributes = { Due: [new Date('2026-05-01T00:00:00Z')], Team: ['billing'] };
  await client.create(someSchedule({ scheduleId: 's-created', searchAttributes }));
  await schedules(1);
  await client.bulk.tag({ scheduleIds: ['s-00'] }, { searchAttributes });
  const stored = await ledger().query('select distinct search_attributes as stored from escapement.schedules');
  expect(stored).toEqual([
    { stored: { Due: { type: 'Datetime', value: '2026-05-01T00:00:00.000Z' }, Team: { value: ['billing'] } } },
  ]);
});

it('is gone on with by others where it was killed, and fires each once', async () => {
  await schedules(20);
  let settled = 0;
  // The process loses its connections in the middle of a schedule, after it has changed some.
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (/update .*bulk_schedules/.test(text) && ++settled > 5) throw new Error('killed');
    },
  });
  const dying = ledger().newClient({ connectionString: undefined as never, pool });
  const told: BulkStatus[] = [];
  const progress = (status: BulkStatus) => void told.push(status);
  await expect(dying.bulk.trigger({ all: true }, { perSecond: 10_000, progress })).rejects.toThrow('killed');
  const { operationId } = told[0]!;
  await ledger().query(`update escapement.bulk_operations set leased_until = now() - interval '1 second'`);
  const others = [ledger().newClient({ identity: 'one' }), ledger().newClient({ identity: 'two' })];
  for (const status of await Promise.all(others.map(({ bulk }) => bulk.follow(operationId)))) {
    expect(status).toMatchObject({ state: 'done', actor: 'test', changed: 20, failed: 0 });
  }
  const [row] = await ledger().query(
    `select count(*)::int as firings, count(distinct schedule_id)::int as schedules, min(actor) as first, max(actor) as last
     from escapement.firings`,
  );
  expect(row).toEqual({ firings: 20, schedules: 20, first: 'test', last: 'test' });
});

it('leaves the rest undone once it is stopped or cancelled', async () => {
  await schedules(9);
  const { client } = ledger();
  const stopping = new AbortController();
  const stopped = await client.bulk.trigger(
    { all: true },
    { perSecond: 0.5, signal: stopping.signal, progress: () => stopping.abort() },
  );
  expect(stopped).toMatchObject({ state: 'cancelled', cancelledBy: 'test', total: 9, left: 9 });
  let operationId = '';
  const cancelled = client.bulk.trigger(
    { all: true },
    {
      perSecond: 0.5,
      progress: (status) => {
        if (!operationId) void client.bulk.cancel(status.operationId);
        operationId = status.operationId;
      },
    },
  );
  expect(await cancelled).toMatchObject({ state: 'cancelled' });
  expect(await client.bulk.cancel(operationId)).toMatchObject({ state: 'cancelled', operationId });
});

it('an operation that its caller leaves stays under way, is listed, and is gone on with', async () => {
  await schedules(3);
  const { client } = ledger();
  const left = await client.bulk.pause({ all: true }, { ...abortedAtOnce(), onAbort: 'leave' });
  expect(left).toMatchObject({ state: 'running', waitsFor: 'process', left: 3, changed: 0 });
  const cancelled = await client.bulk.tag({ all: true }, { ...abortedAtOnce(), owner: 'ops' });
  ledger().clock.advance(1_000);
  const done = await client.bulk.tag({ all: true }, { runbook: 'https://wiki' });
  const { errors, ...summary } = done;
  expect(await client.bulk.list()).toMatchObject([
    summary,
    { operationId: cancelled.operationId, state: 'cancelled' },
    { operationId: left.operationId, state: 'running', waitsFor: 'process', left: 3 },
  ]);
  for (const { state, operationId } of [left, cancelled, done]) {
    expect(await client.bulk.list({ state })).toMatchObject([{ operationId, state }]);
  }
  expect(await client.bulk.list({ limit: 1 })).toMatchObject([{ operationId: done.operationId }]);
  expect(await client.bulk.list({ tenant: 'acme' })).toEqual([]);
  expect(await client.bulk.get(done.operationId)).toEqual({ ...done, errors });
  await expect(client.bulk.get(randomUUID())).rejects.toMatchObject({ name: 'OperationNotFoundError' });
  expect(await client.bulk.follow(left.operationId)).toMatchObject({ state: 'done', changed: 3 });
});

it('one that a server carries out is counted once for each look', async () => {
  await schedules(1);
  const { operationId } = await ledger().client.bulk.pause({ all: true }, { ...abortedAtOnce(), onAbort: 'leave' });
  await ledger().query(
    `update escapement.bulk_operations set leased_by = $1, leased_until = now() + interval '1 minute'`,
    [randomUUID()],
  );
  const sent: string[] = [];
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (/count\(\*\) filter .*bulk_schedules/s.test(text)) sent.push('count');
      if (/set leased_by/.test(text)) sent.push('take');
    },
  });
  const watching = ledger().newClient({ connectionString: undefined as never, pool });
  const stopping = new AbortController();
  let looks = 0;
  const progress = () => void (++looks === 3 && stopping.abort());
  await watching.bulk.follow(operationId, { progress, signal: stopping.signal, onAbort: 'leave' });
  // The last progress report shows the state in which it stopped.
  expect(sent).toEqual(['count', 'take', 'count', 'take', 'count', 'count']);
});

it('with a rate one is changed after the other, and no two at once', async () => {
  await schedules(6);
  const stopping = new AbortController();
  let settled = 0;
  const pool = watchedPool(ledger(), {
    before: (text) => {
      if (!/update .*bulk_schedules/.test(text)) return;
      settled++;
      stopping.abort();
    },
  });
  const client = ledger().newClient({ connectionString: undefined as never, pool });
  await client.bulk.trigger({ all: true }, { perSecond: 0.5, signal: stopping.signal });
  expect(settled).toBe(1);
});

it('keeps its pace where the clock of the host jumps back', async () => {
  await schedules(3);
  const { now } = Date;
  let hours = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000 * ++hours);
  const stopping = new AbortController();
  onTestFinished(() => {
    vi.restoreAllMocks();
    stopping.abort();
  });
  const options = { perSecond: 1_000, signal: stopping.signal };
  expect(await ledger().client.bulk.trigger({ all: true }, options)).toMatchObject({ changed: 3 });
});

it('a pace is even: what asks too early waits, and what could not begin for a while is not made up for', () => {
  const mayBegin = paceOf(20, 0);
  expect([mayBegin(0), mayBegin(0), mayBegin(1)]).toEqual([0, 50, 100]);
  // A timer that is a little late does not lower the rate.
  expect([mayBegin(153), mayBegin(153)]).toEqual([150, 200]);
  const after = [mayBegin(9_000), mayBegin(9_000), mayBegin(9_000)];
  expect(after.map((at) => at - 9_000)).toEqual([-10, 40, 90]);
});
