import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type EscapementClient,
  InvalidOptionError,
  type ListSchedulesOptions,
  type ScheduleSummary,
} from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { invertingCodec, nonceCodec } from '../../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');

const forged = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

async function ids(list: AsyncIterable<{ scheduleId: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { scheduleId } of list) found.push(scheduleId);
  return found;
}

/** All pages of a list, by their cursors. */
async function pages(client: EscapementClient, options: ListSchedulesOptions): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listPage({ ...options, cursor });
    found.push(page.schedules.map(({ scheduleId }) => scheduleId));
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

/** Six schedules that differ in every field that a list can filter by. */
async function variety() {
  const { client } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'report', taskQueue: 'reports' };
  await client.create(someSchedule({ scheduleId: 'a', spec: { cron: '0 6 * * *' }, tenant: 'acme' }));
  await client.create(someSchedule({ scheduleId: 'b', spec: { cron: '0 5 * * *' }, action }));
  await client.create(
    someSchedule({ scheduleId: 'c', spec: { cron: '0 4 * * *' }, state: { paused: true, note: '50% off_' } }),
  );
  await client.create(someSchedule({ scheduleId: 'd', spec: { cron: '0 5 * * *' }, namespace: 'billing' }));
  await client.create(someSchedule({ scheduleId: 'e', spec: { cron: '0 4 * * *' }, state: { remainingActions: 0 } }));
  await client.create(someSchedule({ scheduleId: 'Report', spec: { cron: '0 7 * * *' } }));
  await client.create(someSchedule({ scheduleId: 'z' }));
  await client.getHandle('z').delete();
  await ledger().query(`update escapement.schedules set source = 'deploy' where schedule_id = 'a'`);
  await (await ledger().trigger()).passes.claim();
  return client;
}

describe('EscapementClient.list', () => {
  it.each<[ListSchedulesOptions, string[]]>([
    [{}, ['a', 'b', 'c', 'd', 'e', 'Report']],
    [{ tenant: 'acme' }, ['a']],
    [{ tenant: '' }, ['b', 'c', 'd', 'e', 'Report']],
    [{ source: 'deploy' }, ['a']],
    [{ namespace: 'billing' }, ['d']],
    [{ taskQueue: 'reports' }, ['b']],
    [{ workflowType: 'report', taskQueue: 'other' }, []],
    [{ paused: true }, ['c']],
    [{ paused: false, completed: false }, ['a', 'b', 'd', 'Report']],
    [{ completed: true }, ['e']],
    [{ from: new Date('2026-03-01T05:00:00Z'), to: new Date('2026-03-01T06:00:00Z') }, ['b', 'd']],
    [{ text: 'REPORT' }, ['Report']],
    // These characters are no patterns, but stand for themselves.
    [{ text: '% OFF_' }, ['c']],
    [{ text: '%' }, ['c']],
    [{ text: 'nobody', paused: true }, []],
  ])('finds by %j what matches all of it', async (options, expected) => {
    const client = await variety();
    const byId = (await ids(client.list(options))).sort();
    expect(byId).toEqual([...expected].sort());
    expect((await ids(client.list({ ...options, orderBy: 'nextFireAt', pageSize: 1 }))).sort()).toEqual(byId);
    expect((await pages(client, { ...options, pageSize: 1 })).flat().sort()).toEqual(byId);
  });

  it('shows a spec whose lists of one are single values, as JSON may have them', async () => {
    const { client } = ledger();
    const spec = {
      intervals: { every: '1h' },
      calendars: { hour: 4 },
      skip: { month: 'MAY' },
      cronExpressions: '5 * * * *',
    };
    const handle = await client.create(someSchedule({ scheduleId: 'bare', spec: spec as never }));
    expect(await ids(client.list())).toEqual(['bare']);
    await handle.update((schedule) => schedule);
    expect((await handle.describe()).definition.spec).toMatchObject({ cronExpressions: '5 * * * *' });
  });

  it('puts the next to fire first, and last what sleeps', async () => {
    const client = await variety();
    const inOrder = ['b', 'd', 'a', 'Report', 'c', 'e'];
    expect(await ids(client.list({ orderBy: 'nextFireAt' }))).toEqual(inOrder);
    expect(await pages(client, { orderBy: 'nextFireAt', pageSize: 3 })).toEqual([
      inOrder.slice(0, 3),
      inOrder.slice(3),
    ]);
    expect(await pages(client, { orderBy: 'nextFireAt', pageSize: 5 })).toEqual([inOrder.slice(0, 5), ['e']]);
    expect(await pages(client, { orderBy: 'nextFireAt', pageSize: 4, tenant: '' })).toEqual([
      ['b', 'd', 'Report', 'c'],
      ['e'],
    ]);
  });

  it('neither repeats nor hides what stays, when others come and go between two pages', async () => {
    const { client } = ledger();
    for (const scheduleId of ['b', 'd', 'f', 'h']) await client.create(someSchedule({ scheduleId }));
    const first = await client.listPage({ pageSize: 2 });
    expect(first.schedules.map(({ scheduleId }) => scheduleId)).toEqual(['b', 'd']);
    await client.create(someSchedule({ scheduleId: 'a' }));
    await client.create(someSchedule({ scheduleId: 'e' }));
    await client.getHandle('d').delete();
    const second = await client.listPage({ cursor: first.nextCursor });
    expect(second.schedules.map(({ scheduleId }) => scheduleId)).toEqual(['e', 'f', 'h']);
    expect(second.nextCursor).toBeUndefined();
  });

  it('refuses what would list something else than was meant', async () => {
    const { client } = ledger();
    await client.create(someSchedule());
    await client.create(someSchedule());
    const { nextCursor } = await client.listPage({ pageSize: 1 });
    const refused: [ListSchedulesOptions & { cursor?: string | undefined }, string][] = [
      [
        { cursor: nextCursor, orderBy: 'nextFireAt' },
        "cursor: is of a page in the order 'scheduleId', not 'nextFireAt'",
      ],
      [{ cursor: 'x' }, 'cursor: is not a cursor'],
      [{ cursor: forged(['scheduleId']) }, 'cursor: is not a cursor'],
      [{ cursor: forged(['scheduleId', null, null]) }, 'cursor: is not a cursor'],
      [{ cursor: forged(['nextFireAt', 'a', 'soon']), orderBy: 'nextFireAt' }, 'cursor: is not a cursor'],
      [
        { orderBy: 'nextFireTime' as 'nextFireAt' },
        'orderBy: "nextFireTime" is none of scheduleId, nextFireAt; did you mean',
      ],
      [{ from: new Date('soon') }, 'from: is not a Date'],
      [{ tennant: 'acme' } as never, 'tennant: is not a field here; tenant, '],
      [{ paused: 'false' as never }, 'paused: "false" is neither true nor false'],
      [{ completed: null as never }, 'completed: null is neither true nor false'],
      [{ pageSize: 0 }, 'pageSize: is not a whole number from 1'],
    ];
    for (const [options, problem] of refused) {
      await expect(client.listPage(options)).rejects.toThrow(InvalidOptionError);
      await expect(client.listPage(options)).rejects.toThrow(problem);
    }
  });

  it('leaves out a memo that it cannot decode, says why, and lists all others', async () => {
    const { client } = ledger();
    const encoding = ledger().newClient({ dataConverter: { payloadCodecs: [invertingCodec] } });
    await encoding.create(someSchedule({ scheduleId: 'foreign', memo: { team: 'billing' } }));
    await client.create(someSchedule({ scheduleId: 'plain', memo: { team: 'sales' } }));
    const { schedules } = await client.listPage();
    expect(schedules).toMatchObject([
      { scheduleId: 'foreign', memoError: expect.stringContaining('binary/inverted') },
      { scheduleId: 'plain', memo: { team: 'sales' } },
    ]);
    expect(schedules[0]).not.toHaveProperty('memo');
    expect(schedules[1]).not.toHaveProperty('memoError');
    expect(await ids(client.list())).toEqual(['foreign', 'plain']);
    await expect(client.getHandle('foreign').describe()).rejects.toThrow('binary/inverted');
  });

  it('gives summaries whose source an update takes back as it is', async () => {
    const client = await variety();
    const handle = client.getHandle('a');
    expect(await handle.describe()).toMatchObject({ source: 'deploy' });
    await handle.update((previous) => ({ ...previous, policies: { ...previous.policies, overlap: 'ALLOW_ALL' } }));
    expect(await handle.describe()).toMatchObject({ source: 'deploy', policies: { overlap: 'ALLOW_ALL' } });
  });
});

it('versions name no argument that nobody changed, under a codec that never encodes alike', async () => {
  const client = ledger().newClient({ dataConverter: { payloadCodecs: [nonceCodec(7)] } });
  const { action, ...options } = someSchedule({ spec: { cron: '0 * * * *' } });
  const encoded = { args: ['emea'], memo: { owner: 'finance' }, staticSummary: 'nightly' };
  const handle = await client.create({ ...options, action: { ...action, ...encoded } });
  await handle.update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } }));
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, args: ['apac'] } }));
  const found: string[][] = [];
  for await (const { changed } of handle.versions()) found.push(changed);
  expect(found).toEqual([['action.args'], ['spec.cron'], []]);
});

it('versions say who changed what, and when', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(
    someSchedule({ policies: { catchupLimit: 5 }, spec: { cron: '0 * * * *', timezone: 'Europe/Berlin' } }),
  );
  clock.set('2026-03-02T00:00:00Z');
  const another = ledger().newClient({ identity: 'night shift' }).getHandle(scheduleId);
  await another.update((previous) => ({
    ...previous,
    spec: { cron: '30 * * * *' },
    action: { ...previous.action, args: [1], retry: { maximumAttempts: 2 } },
    policies: { ...previous.policies, catchupLimit: Number.POSITIVE_INFINITY },
  }));
  const found = [];
  for await (const { version, actor, changed, createdAt } of another.versions({ pageSize: 1 })) {
    found.push({ version, actor, changed: changed.sort(), createdAt });
  }
  expect(found).toEqual([
    {
      version: 2,
      actor: 'night shift',
      changed: ['action.args', 'action.retry', 'policies.catchupLimit', 'spec.cron', 'spec.timezone'],
      createdAt: new Date('2026-03-02T00:00:00Z'),
    },
    { version: 1, actor: 'test', changed: [], createdAt: new Date('2026-03-01T00:30:00Z') },
  ]);
});

it('computes next times when they are read, once, and they are copied, printed, cloned and compared as any other field', async () => {
  for (const scheduleId of ['a', 'b', 'c'])
    await ledger().client.create(someSchedule({ scheduleId, spec: { cron: '0 * * * *' } }));
  const list = async () => {
    const infos: ScheduleSummary['info'][] = [];
    for await (const { info } of ledger().client.list()) infos.push(info);
    return infos;
  };
  const times = [1, 2, 3, 4, 5].map((hour) => new Date(`2026-03-01T0${hour}:00:00Z`));
  const isComputed = (info: object) => 'value' in Object.getOwnPropertyDescriptor(info, 'nextActionTimes')!;
  const ways: Record<string, (info: ScheduleSummary['info']) => unknown> = {
    read: (info) => info.nextActionTimes,
    spread: (info) => ({ ...info }).nextActionTimes,
    clone: (info) => structuredClone(info).nextActionTimes,
    entry: (info) => Object.fromEntries(Object.entries(info)).nextActionTimes,
    json: (info) => JSON.parse(JSON.stringify(info)).nextActionTimes.map((time: string) => new Date(time)),
  };
  for (const way of Object.values(ways)) {
    const [info, other] = await list();
    expect([info, other].map((one) => isComputed(one!))).toEqual([false, false]);
    expect(way(info!)).toEqual(times);
    expect([info, other].map((one) => isComputed(one!))).toEqual([true, false]);
    expect(info!.nextActionTimes).toBe(info!.nextActionTimes);
  }
  const [printed, compared, changed] = await list();
  expect(inspect({ deeper: { info: printed } }, { depth: 9 })).toContain('nextActionTimes: [\n');
  expect(inspect(printed)).not.toContain('Symbol');
  expect({ ...compared, createdAt: 0, answeredTo: 0 }).toEqual({ ...printed, createdAt: 0, answeredTo: 0 });
  changed!.nextActionTimes = [];
  expect(changed!.nextActionTimes).toEqual([]);
});

it('shows of each schedule its next five times, without what is excluded, in one read a page of what fires', async () => {
  const handle = await ledger().client.create(someSchedule({ scheduleId: 'excluded', spec: { cron: '0 * * * *' } }));
  await handle.exclude(new Date('2026-03-01T02:00:00Z'));
  const few = { spec: { cron: '0 * * * *' }, state: { remainingActions: 2, paused: true } };
  await ledger().client.create(someSchedule({ scheduleId: 'few', ...few }));
  await ledger().client.create(someSchedule({ scheduleId: 'by-hand', spec: {} }));
  const looks: string[] = [];
  const pool = watchedPool(ledger(), { before: (text) => text.includes('"firings"') && looks.push(text) });
  const client = ledger().newClient({ pool });
  const hours: Record<string, number[]> = {};
  for await (const { scheduleId, info } of client.list({ pageSize: 2 })) {
    hours[scheduleId] = info.nextActionTimes.map((time) => time.getUTCHours());
    expect(info.recentActions).toEqual([]);
  }
  expect(hours).toEqual({ 'by-hand': [], excluded: [1, 3, 4, 5, 6], few: [1, 2] });
  expect(looks).toHaveLength(2);
});
