import {
  ScheduleAlreadyRunning as TemporalAlreadyRunning,
  ScheduleNotFoundError as TemporalNotFound,
} from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { Client } from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  EscapementClient,
  InvalidOptionError,
  InvalidScheduleError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
} from '../../index';
import { poolOf } from '../support/connections/pool';
import { patient } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** Eleven intervals that share instants, nearly all of which are skipped. */
const TOO_SLOW = {
  intervals: [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31].map((n) => ({ every: n * 1_000 })),
  skip: [{ second: '*', minute: '*', hour: '*', year: { start: 2000, end: 2099 } }],
};

describe('EscapementClient.create', () => {
  it('describes a schedule as it was given, with its next times', async () => {
    const options = someSchedule({
      spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin', startAt: new Date('2026-03-02T00:00:00Z') },
      action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args: ['emea', { deep: [1] }] },
      policies: { catchupLimit: Number.POSITIVE_INFINITY, catchupWindow: '2 days' },
      state: { note: 'for finance' },
    });
    const handle = await ledger().client.create(options);
    expect(await handle.describe()).toMatchObject({
      scheduleId: options.scheduleId,
      namespace: 'default',
      spec: options.spec,
      definition: { spec: options.spec },
      action: options.action,
      policies: { overlap: 'SKIP', catchupLimit: Number.POSITIVE_INFINITY, catchupWindow: 172_800_000 },
      state: { paused: false, note: 'for finance' },
      info: {
        version: 1,
        nextFireAt: new Date('2026-03-02T01:00:00Z'),
        description: ['At 02:00', 'Not before 2026-03-02T00:00:00Z', 'Time zone Europe/Berlin'],
      },
    });
    expect((await handle.nextTimes(2)).map((time) => time.toISOString())).toEqual([
      '2026-03-02T01:00:00.000Z',
      '2026-03-03T01:00:00.000Z',
    ]);
  });

  it('refuses an ID that is taken, with Temporal’s own error, and changes nothing', async () => {
    const options = someSchedule();
    await ledger().client.create(options);
    const again = ledger().client.create({ ...options, spec: { cron: '5 5 * * *' } });
    await expect(again).rejects.toBeInstanceOf(ScheduleAlreadyRunning);
    await expect(again).rejects.toBeInstanceOf(TemporalAlreadyRunning);
    expect((await ledger().client.getHandle(options.scheduleId).describe()).definition.spec).toEqual(options.spec);
  });

  it('registers an ID once, however many create it at the same time', async () => {
    const options = someSchedule();
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => ledger().client.create(options)));
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
    expect(await ledger().query('select * from escapement.schedule_versions')).toHaveLength(1);
  });

  it('refuses arguments that cannot be encoded', async () => {
    const action = { type: 'startWorkflow' as const, workflowType: 'report', taskQueue: 'reports', args: [1n] };
    await expect(ledger().client.create(someSchedule({ action }))).rejects.toMatchObject({ path: 'action.args' });
  });

  it.each([
    ['that can never fire', { cron: '0 0 30 2 *' }],
    ['that is over', { cron: '0 * * * *', endAt: new Date('2020-01-01') }],
  ])('refuses a spec %s, and writes nothing', async (_, spec) => {
    await expect(ledger().client.create(someSchedule({ spec }))).rejects.toBeInstanceOf(InvalidScheduleError);
    expect(await ledger().query('select * from escapement.schedules')).toEqual([]);
  });

  it('stores arguments as the user’s codec encodes them, and decodes them only for the user', async () => {
    const codec: PayloadCodec = {
      encode: async (payloads) =>
        payloads.map((payload) => ({ ...payload, data: payload.data!.map((byte) => byte ^ 0xff) })),
      decode: async (payloads) =>
        payloads.map((payload) => ({ ...payload, data: payload.data!.map((byte) => byte ^ 0xff) })),
    };
    const client = ledger().newClient({ dataConverter: { payloadCodecs: [codec] } });
    const action = {
      type: 'startWorkflow' as const,
      workflowType: 'report',
      taskQueue: 'reports',
      args: ['top secret'],
    };
    const handle = await client.create(someSchedule({ action }));
    const [{ args }] = (await ledger().query<{ args: Buffer }>('select args from escapement.schedule_versions')) as [
      { args: Buffer },
    ];
    expect(args.includes('secret')).toBe(false);
    expect((await handle.describe()).action.args).toEqual(['top secret']);
  });

  it('works on a pool of the user’s, whatever parsers it was given, and leaves it open', async () => {
    const pool = poolOf({
      connectionString: ledger().databaseUrl,
      types: { getTypeParser: () => (value: string) => `custom ${value}` } as never,
    });
    const client = new EscapementClient({ pool, now: () => new Date(ledger().clock.now()) });
    const handle = await client.create(someSchedule());
    expect((await handle.describe()).info.answeredTo).toEqual(new Date('2026-03-01T00:30:00Z'));
    await client.close();
    expect((await pool.query('select 1 as one')).rows).toHaveLength(1);
    await pool.end();
  });

  it('refuses a namespace that Temporal cannot have, which every schedule would be created with', () => {
    for (const namespace of ['', 'my namespace', 7 as never]) {
      expect(() => ledger().newClient({ namespace })).toThrow(TypeError);
      expect(() => ledger().newClient({ namespace })).toThrow(
        /^namespace: is (not a namespace|no text)|^namespace: 7 is no text/,
      );
    }
  });
});

describe('clocks that disagree', () => {
  afterEach(() => vi.useRealTimers());

  it('do not keep a trigger from looking at a new schedule at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await ledger()
      .newClient({ now: undefined })
      .create(someSchedule({ spec: { cron: '* * * * *' } }));
    expect(await ledger().query('select from escapement.timers where wake_at <= clock_timestamp()')).toHaveLength(1);
    expect(await ledger().query('select from escapement.timers where answered_to <= clock_timestamp()')).toHaveLength(
      1,
    );
  });

  it('never move what is answered backwards, so that nothing is answered twice', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T03:30:00Z');
    await handle.pause();
    await handle.unpause();
    // A trigger whose clock is behind that of the change.
    clock.set('2026-03-01T01:30:00Z');
    await handle.trigger();
    await trigger.passes.claim();
    clock.set('2026-03-01T04:00:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T03:00:00 gap 3 paused',
      '03-01T01:30:00.001 manual claimed',
      '03-01T04:00:00 schedule claimed',
    ]);
  });
});

describe('a schedule whose stored spec cannot be evaluated any more', () => {
  it.each([
    ['is refused', { cron: '0 0 * * W' }, 'spec.cron'],
    ['takes too long', TOO_SLOW, 'spec.skip: takes too long'],
  ])(
    'sleeps with the reason, holds up no other, settles what was asked for, and frees its name: %s',
    async (_, spec, problem) => {
      const { client, clock } = ledger();
      const broken = someSchedule();
      const handle = await client.create(broken);
      const fine = await client.create(someSchedule());
      await ledger().query('update escapement.schedule_versions set spec = $2 where schedule_id = $1', [
        broken.scheduleId,
        JSON.stringify(spec),
      ]);
      await handle.trigger('ALLOW_ALL');
      clock.set('2026-03-01T01:00:00Z');
      const trigger = await ledger().trigger();
      const { claimed } = await trigger.passes.claim();
      expect(claimed.map((key) => key.scheduleId).sort()).toEqual([broken.scheduleId, fine.scheduleId].sort());
      expect((await handle.describe()).state).toMatchObject({ specError: expect.stringContaining(problem) });

      await handle.pause();
      await handle.unpause();
      await handle.delete();
      await client.create(broken);
      expect((await handle.describe()).state).toEqual({ paused: false });
    },
  );
});

describe('EscapementClient.list', () => {
  it('refuses pages of nothing', async () => {
    await expect(ids(ledger().client.list({ pageSize: 0 }))).rejects.toThrow(InvalidOptionError);
  });

  it('reads all live schedules page by page, and those of one tenant', async () => {
    const { client } = ledger();
    for (let index = 0; index < 7; index++) {
      await client.create(someSchedule({ scheduleId: `s${index}`, tenant: index % 2 ? 'acme' : '' }));
    }
    await client.getHandle('s3').delete();
    expect(await ids(client.list({ pageSize: 2 }))).toEqual(['s0', 's1', 's2', 's4', 's5', 's6']);
    expect(await ids(client.list({ tenant: 'acme' }))).toEqual(['s1', 's5']);
  });
});

describe('ScheduleHandle', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['describe', (id) => ledger().client.getHandle(id).describe()],
    ['pause', (id) => ledger().client.getHandle(id).pause()],
    ['unpause', (id) => ledger().client.getHandle(id).unpause()],
    ['trigger', (id) => ledger().client.getHandle(id).trigger()],
    ['delete', (id) => ledger().client.getHandle(id).delete()],
  ])('%s of a schedule that is not there throws Temporal’s error', async (_, call) => {
    await expect(call('nobody')).rejects.toBeInstanceOf(ScheduleNotFoundError);
    await expect(call('nobody')).rejects.toBeInstanceOf(TemporalNotFound);
  });

  it('gives every manual firing of one second a key of its own', async () => {
    const handle = await ledger().newClient(patient(ledger())).create(someSchedule());
    const firings = await Promise.all(Array.from({ length: 20 }, () => handle.trigger('ALLOW_ALL')));
    const times = firings.map((firing) => firing.scheduledTime.getTime() - Date.parse('2026-03-01T00:30:00Z'));
    expect(times.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('reads firings newest first, by page, range and state', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
    clock.set('2026-03-01T06:00:00Z');
    await (await ledger().trigger()).passes.claim();
    const hours = async (options: Parameters<typeof handle.firings>[0]) => {
      const found: number[] = [];
      for await (const firing of handle.firings(options)) found.push(firing.scheduledTime.getUTCHours());
      return found;
    };
    expect(await hours({ pageSize: 2 })).toEqual([6, 5, 4, 3, 2, 1]);
    const range = { from: new Date('2026-03-01T02:00:00Z'), to: new Date('2026-03-01T04:00:00Z') };
    expect(await hours(range)).toEqual([3, 2]);
    expect(await hours({ state: 'linked' })).toEqual([]);
  });
});

describe('a transaction that somebody leaves open on a schedule', () => {
  it('does not hold up the claims of others', async () => {
    const { client, clock } = ledger();
    const blocked = await client.create(someSchedule());
    await client.create(someSchedule());
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select * from escapement.timers where schedule_id = $1 for update', [blocked.scheduleId]);
    clock.set('2026-03-01T01:00:00Z');
    // Pages of one item: a locked schedule must not hide the ones after it.
    const trigger = await ledger().trigger({ limits: { batchSize: 1 } });
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    await holder.query('rollback');
    await holder.end();
    expect((await trigger.passes.claim()).claimed).toMatchObject([{ scheduleId: blocked.scheduleId }]);
  });
});

async function ids(list: AsyncIterable<{ scheduleId: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { scheduleId } of list) found.push(scheduleId);
  return found;
}
