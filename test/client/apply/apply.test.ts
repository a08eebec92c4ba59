import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  ApplyConflictError,
  type ApplyOptions,
  type ApplyProgress,
  ApplyRefusedError,
  defineSchedule,
  type EscapementClient,
  PruneRefusedError,
  type ScheduleOptions,
  SourceNotFoundError,
  StaleRevisionError,
} from '../../../index';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, type TestLedger, useLedger } from '../../support/ledger';
import { nonceCodec } from '../../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');

const action = { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args: ['emea'] } as const;
const hourly = (scheduleId: string, options: Partial<ScheduleOptions> = {}) =>
  someSchedule({ scheduleId, action: { ...action, args: ['emea'] }, ...options });
const list = (...ids: string[]) => ids.map((id) => hourly(id));
const many = (count: number, spec = { cron: '0 * * * *' }) =>
  Array.from({ length: count }, (_, index) => hourly(`s${String(index).padStart(5, '0')}`, { spec }));

function apply(schedules: ScheduleOptions[], options: Partial<ApplyOptions> = {}, client = ledger().client) {
  return client.apply(schedules, { source: 'billing', revision: 1, ...options });
}

/** All rows of the ledger, to see whether anything was written. `xmin` changes with each write of a row. */
async function everything(): Promise<unknown> {
  const tables = ['schedules', 'schedule_versions', 'timers', 'firings', 'gaps', 'meta'];
  const rows: unknown[] = [];
  for (const table of tables)
    rows.push(await ledger().query(`select xmin::text, * from escapement.${table} order by 3, 2`));
  return rows;
}

const live = async (of: TestLedger = ledger()) => {
  const found: string[] = [];
  for await (const { scheduleId } of of.client.list()) found.push(scheduleId);
  return found;
};
const versions = async (id: string) => {
  const found: { version: number; actor: string | undefined }[] = [];
  for await (const { version, actor } of ledger().client.getHandle(id).versions()) found.push({ version, actor });
  return found;
};

describe('apply', () => {
  it('creates what is new, updates what differs and says what, and leaves the rest alone', async () => {
    const first = await apply(list('a', 'b', 'c'));
    expect(first).toEqual({
      source: 'billing',
      revision: 1,
      status: 'applied',
      currentRevision: 1,
      created: ['a', 'b', 'c'],
      updated: [],
      unchanged: [],
      pruned: [],
      ended: [],
    });
    const second = await apply(
      [
        hourly('a'),
        hourly('b', {
          spec: { cron: '30 * * * *', timezone: 'Europe/Berlin' },
          action: { ...action, args: ['apac'], retry: { maximumAttempts: 3 } },
          policies: { catchupLimit: Number.POSITIVE_INFINITY },
        }),
        hourly('d'),
      ],
      { revision: 2 },
    );
    expect(second).toMatchObject({
      created: ['d'],
      updated: [
        {
          scheduleId: 'b',
          changed: ['action.args', 'action.retry', 'policies.catchupLimit', 'spec.cron', 'spec.timezone'],
        },
      ],
      unchanged: ['a'],
      pruned: [],
      ended: [],
    });
    expect((await ledger().client.getHandle('b').describe()).definition.spec).toEqual({
      cron: '30 * * * *',
      timezone: 'Europe/Berlin',
    });
    expect(await versions('b')).toEqual([
      { version: 2, actor: 'test (billing@2)' },
      { version: 1, actor: 'test (billing@1)' },
    ]);
    expect(await versions('a')).toHaveLength(1);
    expect(await live()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('writes nothing where nothing differs, however its values are written', async () => {
    const declared = defineSchedule<(day: Date, options: object) => Promise<void>>({
      scheduleId: 'dates',
      spec: {
        at: [new Date('2026-05-01T00:00:00Z')],
        startAt: new Date('2026-02-01T00:00:00Z'),
        intervals: [{ every: '1h' }],
      },
      action: { ...action, args: [new Date(0), { left: undefined, deep: [new Date(1)] }] },
      policies: { catchupWindow: '1 day' },
    });
    const written = [declared, hourly('plain')];
    await apply(written);
    const before = await everything();
    const equal = { ...declared, policies: { catchupWindow: 86_400_000, overlap: 'SKIP' as const } };
    expect(await apply([hourly('plain'), equal])).toMatchObject({ unchanged: ['plain', 'dates'], updated: [] });
    expect(await everything()).toEqual(before);
  });

  it('writes nothing where nothing differs under a codec that never encodes alike, either', async () => {
    const client = ledger().newClient({ dataConverter: { payloadCodecs: [nonceCodec(7)] } });
    await apply(list('a', 'b'), {}, client);
    const before = await everything();
    expect(await apply(list('a', 'b'), {}, client)).toMatchObject({ unchanged: ['a', 'b'] });
    expect(await everything()).toEqual(before);
    const changed = hourly('a', { action: { ...action, args: ['apac'] } });
    expect(await apply([changed], {}, client)).toMatchObject({
      updated: [{ scheduleId: 'a', changed: ['action.args'] }],
    });
  });

  it('replaces arguments that nobody can decode any more', async () => {
    await apply(list('a'), {}, ledger().newClient({ dataConverter: { payloadCodecs: [nonceCodec(7)] } }));
    const client = ledger().newClient({ dataConverter: { payloadCodecs: [nonceCodec(8)] } });
    expect(await apply(list('a'), {}, client)).toMatchObject({ updated: [{ changed: ['action.args'] }] });
    expect((await client.getHandle('a').describe()).action.args).toEqual(['emea']);
  });

  it('leaves history and the next time alone where the spec did not change', async () => {
    await apply(list('a'));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:10:00Z');
    await trigger.passes.claim();
    const next = 'select next_fire_at, last_fire_at from escapement.timers';
    const before = [await ledger().query(next), await ledger().firings('a')];
    ledger().clock.set('2026-03-01T01:20:00Z');
    const { updated } = await apply([hourly('a', { policies: { maxConcurrent: 3 } })]);
    expect(updated).toEqual([{ scheduleId: 'a', changed: ['policies.maxConcurrent'] }]);
    expect([await ledger().query(next), await ledger().firings('a')]).toEqual(before);
    expect(before[1]).toHaveLength(1);
  });

  it('gives each its own definition, whatever order the database sorts their IDs in', async () => {
    const ids = ['a', 'B', 'ä', 'Z-1', '_', '日次', 'a b'];
    const declared = (minute: number) =>
      ids.map((id, index) => hourly(id, { spec: { cron: `${minute + index} * * * *` } }));
    await apply(declared(0));
    expect((await apply(declared(20), { revision: 2 })).updated).toHaveLength(ids.length);
    for (const [index, id] of ids.entries()) {
      expect((await ledger().client.getHandle(id).describe()).definition.spec).toEqual({
        cron: `${20 + index} * * * *`,
      });
    }
  });

  it('is not retroactive: what was due is answered by the former definition', async () => {
    await apply([hourly('a', { policies: { overlap: 'ALLOW_ALL' } })]);
    ledger().clock.set('2026-03-01T02:10:00Z');
    await apply([hourly('a', { spec: { cron: '20 * * * *' }, policies: { overlap: 'ALLOW_ALL' } })]);
    ledger().clock.set('2026-03-01T02:30:00Z');
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers('a')).toEqual([
      '03-01T01:00:00 catchup claimed',
      '03-01T02:00:00 catchup claimed',
      '03-01T02:20:00 catchup claimed',
    ]);
  });

  it('prunes only what the same source declared before, and never its history', async () => {
    const { client } = ledger();
    await client.create(hourly('by-hand'));
    await apply(list('other'), { source: 'shop' });
    await apply(list('a', 'b', 'c'));
    await client.getHandle('b').trigger();
    const result = await apply(list('a'), { revision: 2, prune: true });
    expect(result).toMatchObject({ unchanged: ['a'], pruned: ['b', 'c'] });
    expect(await live()).toEqual(['a', 'by-hand', 'other']);
    expect(await ledger().firings('b')).toHaveLength(1);
    expect(await ledger().query(`select distinct note from escapement.schedules where deleted_at is not null`)).toEqual(
      [{ note: 'no longer declared by billing@2' }],
    );
    expect(await apply(list('a'), { revision: 3, prune: true })).toMatchObject({ pruned: [] });
  });

  it('of a lower revision neither writes nor prunes, and throws unless it is told to ignore that', async () => {
    await apply(list('a', 'b'), { revision: 42 });
    const before = await everything();
    const changed = [hourly('a', { spec: { cron: '5 5 * * *' } }), hourly('new')];
    for (const dryRun of [false, true]) {
      const refused = await apply(changed, { revision: 41, prune: true, dryRun }).catch((error) => error);
      expect(refused).toBeInstanceOf(StaleRevisionError);
      expect(refused.message).toContain('billing@41 is stale, because revision 42 has begun: nothing was written');
      expect(refused.result).toMatchObject({ status: 'stale', currentRevision: 42, created: [], pruned: [] });
    }
    expect(await apply(changed, { revision: 41, prune: true, onStale: 'ignore' })).toMatchObject({
      status: 'stale',
      currentRevision: 42,
      created: [],
      updated: [],
      pruned: [],
      ended: [],
    });
    expect(await everything()).toEqual(before);
    expect(await apply(list('x'), { source: 'shop', revision: 1 })).toMatchObject({
      status: 'applied',
      created: ['x'],
    });
  });

  it('refuses to prune more than three and more than a quarter, unless it is told how many', async () => {
    const all = Array.from({ length: 16 }, (_, index) => `s${String.fromCharCode(97 + index)}`);
    await apply(list(...all));
    const before = await everything();
    for (const dryRun of [true, false]) {
      const refused = await apply(list(...all.slice(5)), { revision: 2, prune: true, dryRun }).catch((error) => error);
      expect(refused).toBeInstanceOf(PruneRefusedError);
      expect(refused).toMatchObject({ scheduleIds: all.slice(0, 5), declared: 16, atMost: 4 });
      expect(refused.message).toMatch(/5 of the 16 schedules of source 'billing'.*'sa', 'sb'.*pruneAtMost: 5/);
    }
    await expect(apply([], { revision: 2, prune: true })).rejects.toBeInstanceOf(PruneRefusedError);
    expect(await everything()).toEqual(before);

    const told: ApplyProgress[] = [];
    const progress = (done: ApplyProgress) => void told.push(done);
    await apply(list(...all.slice(4)), { revision: 2, prune: true, progress });
    expect(told[0]).toEqual({ written: 0, total: 4, pruning: all.slice(0, 4) });
    await apply(list('sz'), { revision: 3, prune: true, pruneAtMost: 12 });
    expect(await live()).toEqual(['sz']);
    await expect(apply([], { revision: 4, prune: true })).rejects.toMatchObject({ atMost: 0 });
    expect(await apply([], { revision: 4 })).toMatchObject({ pruned: [] });
    expect(await apply([], { revision: 4, prune: true, pruneAtMost: 1 })).toMatchObject({ pruned: ['sz'] });
  });

  it('brings what was paused back as it was: paused, for the reason that was given', async () => {
    const { client } = ledger();
    await apply(list('a', 'b', 'c'));
    await client.getHandle('a').pause('incident 7');
    await apply(list('c'), { revision: 2, prune: true });
    expect(await apply(list('a', 'b', 'c'), { revision: 3 })).toMatchObject({ created: ['a', 'b'] });
    expect((await client.getHandle('a').describe()).state).toMatchObject({ paused: true, note: 'incident 7' });
    expect((await client.getHandle('b').describe()).state).toEqual({ paused: false });
  });

  it('shows the revision of each source, and lets an operator set it back', async () => {
    const { sources } = ledger().client;
    const acme = ledger().newClient({ tenant: 'acme' });
    expect(await sources.list()).toEqual([]);
    await apply(list('a', 'b'), { revision: 1_732_000_000 });
    await apply([hourly('theirs')], {}, acme);
    expect(await sources.list()).toEqual([
      { source: 'billing', tenant: undefined, revision: 1_732_000_000, complete: true, schedules: 2 },
      { source: 'billing', tenant: 'acme', revision: 1, complete: true, schedules: 1 },
    ]);
    expect(await acme.sources.list()).toMatchObject([{ tenant: 'acme' }]);
    const before = await ledger().query('select xmin::text, * from escapement.schedules');
    expect(await sources.reset('billing', { revision: 42 })).toMatchObject({ revision: 42, complete: false });
    expect(await ledger().query('select xmin::text, * from escapement.schedules')).toEqual(before);
    await expect(apply(list('a'), { revision: 41 })).rejects.toBeInstanceOf(StaleRevisionError);
    expect(await apply(list('a', 'b', 'c'), { revision: 42 })).toMatchObject({ status: 'applied', created: ['c'] });
    await expect(sources.reset('biling', { revision: 1 })).rejects.toThrow(/no source 'biling'.*did you mean billing/);
    await expect(acme.sources.reset('shop', { revision: 1 })).rejects.toBeInstanceOf(SourceNotFoundError);
    await expect(sources.reset('billing', { revision: 1.5 })).rejects.toMatchObject({ path: 'revision' });
  });

  it('of an older build, rolled back on purpose, brings everything to what that build declares', async () => {
    const { client } = ledger();
    const older = [hourly('a'), hourly('dropped')];
    const newer = [hourly('a', { spec: { cron: '5 * * * *' } }), hourly('new')];
    await apply(older, { revision: 41, prune: true });
    await apply(newer, { revision: 42, prune: true });
    await client.sources.reset('billing', { revision: 41 });
    expect(await apply(older, { revision: 41, prune: true })).toMatchObject({
      created: ['dropped'],
      updated: [{ scheduleId: 'a', changed: ['spec.cron'] }],
      pruned: ['new'],
    });
    expect(await live()).toEqual(['a', 'dropped']);
    expect(await apply(newer, { revision: 43, prune: true })).toMatchObject({ created: ['new'], pruned: ['dropped'] });
  });

  it('checks all of the list before it writes anything, and reports every problem with its place', async () => {
    await ledger().client.create(hourly('by-hand'));
    await apply([hourly('theirs', { tenant: 'acme' })]);
    const before = await everything();
    const refused = await apply([
      hourly('fine'),
      hourly('bad-cron', { spec: { cron: '99 * * * *' } }),
      hourly('bad-policy', { policies: { overlap: 'SKIPP' as never } }),
      hourly('fine'),
      hourly('never', { spec: { cron: '0 0 30 2 *' } }),
      hourly('fires-now', { state: { triggerImmediately: true } }),
      hourly('no-json', { action: { ...action, args: [1n] } }),
      null as never,
    ]).catch((error) => error);
    expect(refused).toBeInstanceOf(ApplyRefusedError);
    expect(refused.problems).toMatchObject([
      { index: 1, scheduleId: 'bad-cron', path: 'spec.cron' },
      { index: 2, scheduleId: 'bad-policy', path: 'policies.overlap' },
      { index: 3, scheduleId: 'fine', path: 'scheduleId', problem: 'is also that of [0]' },
      { index: 4, scheduleId: 'never', path: 'spec' },
      { index: 5, scheduleId: 'fires-now', path: 'state.triggerImmediately' },
      { index: 6, scheduleId: 'no-json', path: 'action.args' },
      { index: 7, scheduleId: undefined, path: 'options' },
    ]);
    expect(refused.message).toContain("[1] 'bad-cron' spec.cron: ");

    const conflicts = await apply([hourly('new'), hourly('by-hand'), hourly('theirs')]).catch((error) => error);
    expect(conflicts.problems).toMatchObject([
      { index: 1, scheduleId: 'by-hand', path: 'source', problem: expect.stringContaining('by hand') },
      { index: 2, scheduleId: 'theirs', path: 'tenant' },
    ]);
    await expect(apply(list('x'), { source: '', revision: 1.5 })).rejects.toMatchObject({
      problems: [{ path: 'source' }, { path: 'revision' }],
    });
    expect(await everything()).toEqual(before);
  });

  it('says which of what it writes never fires, since its times have passed; what was written before may end', async () => {
    const over = hourly('over', { spec: { cron: '0 * * * *', endAt: new Date('2026-02-01T00:00:00Z') } });
    const once = hourly('once', { spec: { at: new Date('2026-03-01T01:00:00Z') } });
    const asked = hourly('asked', { spec: {} });
    expect(await apply([over, once, asked], { dryRun: true })).toMatchObject({ ended: ['over'] });
    expect(await apply([over, once, asked])).toMatchObject({ created: ['over', 'once', 'asked'], ended: ['over'] });
    ledger().clock.set('2026-03-01T02:00:00Z');
    expect(await apply([over, once, asked], { revision: 2 })).toMatchObject({ updated: [], ended: [] });
  });

  it('takes over what is somebody else’s only where it is told to', async () => {
    await ledger().client.create(hourly('a'));
    await apply(list('b'), { source: 'shop' });
    const conflict = await apply(list('a', 'b')).catch((error) => error);
    expect(conflict.problems.map(({ problem }: { problem: string }) => problem)).toEqual([
      expect.stringContaining('by hand'),
      expect.stringContaining("source 'shop'"),
    ]);
    const changed = hourly('b', { spec: { cron: '1 * * * *' } });
    expect((await apply([hourly('a'), changed], { takeOver: true })).updated).toEqual([
      { scheduleId: 'a', changed: ['source'] },
      { scheduleId: 'b', changed: ['spec.cron', 'source'] },
    ]);
    expect(await versions('a')).toHaveLength(1);
    expect(await apply(list('x'), { source: 'shop', revision: 2, prune: true })).toMatchObject({ pruned: [] });
  });

  it('leaves the state to people once a schedule is there, and brings back what they deleted', async () => {
    const { client } = ledger();
    const declared = [
      hourly('paused', { state: { paused: true, note: 'not yet', remainingActions: 5 } }),
      hourly('stopped'),
      hourly('deleted'),
      hourly('edited'),
    ];
    await apply(declared);
    expect((await client.getHandle('paused').describe()).state).toMatchObject({
      paused: true,
      note: 'not yet',
      remainingActions: 5,
    });
    await client.getHandle('paused').unpause('go');
    await client.getHandle('stopped').pause('incident');
    await client.getHandle('deleted').delete();
    await client.getHandle('edited').update((previous) => ({ ...previous, spec: { cron: '7 7 * * *' } }));
    ledger().clock.set('2026-03-01T01:10:00Z');
    const result = await apply(declared, { revision: 2 });
    expect(result).toMatchObject({
      unchanged: ['paused', 'stopped'],
      created: ['deleted'],
      updated: [{ scheduleId: 'edited', changed: ['spec.cron'] }],
    });
    expect((await client.getHandle('paused').describe()).state).toMatchObject({ paused: false, note: 'go' });
    expect((await client.getHandle('stopped').describe()).state).toMatchObject({ paused: true, note: 'incident' });
    expect(await ledger().answers('deleted')).toEqual(['03-01T01:00:00..03-01T01:00:00 gap 1 deleted']);
    expect(await apply(declared.slice(1), { revision: 3, prune: true })).toMatchObject({ pruned: ['paused'] });
  });

  it('keeps an action’s update from waking what a person paused', async () => {
    await apply(list('a'));
    await ledger().client.getHandle('a').pause('incident');
    await apply([hourly('a', { spec: { cron: '1 * * * *' } })]);
    expect(await ledger().client.getHandle('a').describe()).toMatchObject({
      spec: { cron: '1 * * * *' },
      state: { paused: true, note: 'incident' },
    });
  });

  it('takes a schedule whose times have all passed as it is: completed', async () => {
    const once = hourly('once', { spec: { at: new Date('2026-03-01T01:00:00Z') } });
    await apply([once]);
    ledger().clock.set('2026-03-02T00:00:00Z');
    const trigger = await ledger().trigger();
    await trigger.passes.claim();
    expect(await apply([once, hourly('late', { spec: once.spec })])).toMatchObject({
      unchanged: ['once'],
      created: ['late'],
    });
    await apply([{ ...once, policies: { catchupLimit: 1 } }]);
    await trigger.passes.claim();
    expect((await ledger().client.getHandle('once').describe()).state).toMatchObject({ completed: true });
    expect((await ledger().client.getHandle('late').describe()).state).toMatchObject({ completed: true });
  });

  it('repairs a schedule that was set aside', async () => {
    await apply(list('a'));
    await ledger().query(`update escapement.schedules set spec_error = 'cannot be evaluated'`);
    expect(await apply(list('a'), { revision: 2 })).toMatchObject({
      updated: [{ scheduleId: 'a', changed: ['spec'] }],
    });
    expect((await ledger().client.getHandle('a').describe()).state).toEqual({ paused: false });
  });

  it('says in a dry run what it would do, and writes nothing', async () => {
    await apply(list('a', 'b', 'c'));
    const before = await everything();
    const declared = [hourly('a'), hourly('b', { spec: { cron: '1 * * * *' } }), hourly('new')];
    const planned = await apply(declared, { revision: 2, prune: true, dryRun: true });
    expect(await everything()).toEqual(before);
    expect(planned).toMatchObject({ status: 'planned', currentRevision: 1 });
    const applied = await apply(declared, { revision: 2, prune: true });
    expect({ ...planned, status: 'applied', currentRevision: 2 }).toEqual(applied);
  });

  it('has the trigger fire what it created', async () => {
    await apply(many(3));
    ledger().clock.set('2026-03-01T01:00:00Z');
    expect((await (await ledger().trigger()).passes.claim()).claimed).toHaveLength(3);
  });
});

describe('several applies of one source at once', () => {
  it.each([[[1, 2]], [[2, 1]], [[3, 1, 2, 3]]])('(revisions %j) end in the state of the highest', async (revisions) => {
    const clients = revisions.map(() => ledger().newClient());
    const cronOf = (revision: number) => `${revision} * * * *`;
    await apply(many(700), { revision: 0 });
    const results = await Promise.all(
      revisions.map((revision, index) =>
        apply(
          [...many(700, { cron: cronOf(revision) }), hourly(`only-${revision}`)],
          { revision, prune: true, onStale: 'ignore' },
          clients[index],
        ),
      ),
    );
    const highest = Math.max(...revisions);
    const crons = await ledger().query(`select distinct v.spec ->> 'cron' as cron from escapement.schedule_versions v
      join escapement.schedules s using (schedule_id, version) where s.schedule_id like 's%'`);
    expect(crons).toEqual([{ cron: cronOf(highest) }]);
    expect((await live()).filter((id) => id.startsWith('only'))).toEqual([`only-${highest}`]);
    for (const { revision, status } of results) if (revision === highest) expect(status).toBe('applied');
    expect(await sourceState()).toMatchObject({ revision: highest, complete: true });
  });

  it('of one revision create each schedule once, and all succeed', async () => {
    const results = await Promise.all([1, 2, 3].map(() => apply(many(600), {}, ledger().newClient())));
    const created = results.flatMap((result) => result.created);
    expect(new Set(created).size).toBe(600);
    expect(created).toHaveLength(600);
    for (const result of results) expect(result.created.length + result.unchanged.length).toBe(600);
    expect(await ledger().query('select from escapement.schedule_versions')).toHaveLength(600);
  });
});

describe('an apply that was interrupted', () => {
  it('is finished by the next, and not taken for done before', async () => {
    const interrupted = apply(many(1_100), {
      revision: 7,
      progress: ({ written, total }) => {
        expect(total).toBe(1_100);
        if (written === 500) throw new Error('killed');
      },
    });
    await expect(interrupted).rejects.toThrow('killed');
    expect(await live()).toHaveLength(500);
    expect(await sourceState()).toMatchObject({ revision: 7, complete: false });
    await expect(apply(many(2), { revision: 6, prune: true })).rejects.toBeInstanceOf(StaleRevisionError);

    const seen: number[] = [];
    const result = await apply(many(1_100), { revision: 7, progress: ({ written }) => void seen.push(written) });
    expect([result.created.length, result.unchanged.length]).toEqual([600, 500]);
    expect(seen).toEqual([0, 500, 600]);
    expect(await sourceState()).toMatchObject({ revision: 7, complete: true });
  });

  it('by a higher revision writes no further batch', async () => {
    const refused = await apply(many(1_100), {
      revision: 7,
      progress: async () => {
        if ((await live()).length === 500) await apply(many(3), { revision: 8 });
      },
    }).catch((error) => error);
    expect(refused).toBeInstanceOf(StaleRevisionError);
    expect(refused.result).toMatchObject({ status: 'stale', currentRevision: 8 });
    expect(refused.result.created).toHaveLength(500);
    expect(refused.message).toContain('only 500 schedules were written');
    expect(await live()).toHaveLength(500);
  });

  it('by somebody’s open transaction says so with a typed error, and the next finishes it', async () => {
    await apply(list('a', 'b'));
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    ledger().beforeClose(() => holder.end());
    await holder.query('begin');
    await ledger().client.getHandle('a').pause('mine', { transaction: holder });
    const declared = [hourly('a', { spec: { cron: '1 * * * *' } }), hourly('new')];
    await expect(apply(declared, { revision: 2 })).rejects.toMatchObject({
      name: 'ApplyConflictError',
      scheduleIds: ['a'],
    });
    expect(await live()).toEqual(['a', 'b', 'new']);
    await holder.query('rollback');
    expect(await apply(declared, { revision: 2 })).toMatchObject({
      updated: [{ scheduleId: 'a' }],
      unchanged: ['new'],
    });
  });
});

describe('schedules that others change while they are applied', () => {
  /** A client that lets another writer act before its first write of each round. */
  function disturbed(
    disturb: (round: number) => Promise<unknown>,
    statement = /^update "escapement"\."meta"/,
  ): EscapementClient {
    let rounds = 0;
    const pool = watchedPool(ledger(), {});
    const client = ledger().newClient({
      connectionString: undefined,
      pool: {
        ...pool,
        connect: async () => {
          const connection = await pool.connect();
          return {
            ...connection,
            query: async (config) => {
              if (statement.test(config.text)) await disturb(rounds++);
              return connection.query(config);
            },
          };
        },
      },
    });
    return client;
  }

  it('by a lower revision, that wrote after it had read, are compared again', async () => {
    await apply(list('a'));
    const changed = hourly('a', { spec: { cron: '1 * * * *' } });
    const client = disturbed(() => apply([changed, hourly('b')], { revision: 2 }), /insert into "escapement"\."meta"/);
    expect(await apply(list('a'), { revision: 3, prune: true }, client)).toMatchObject({
      updated: [{ scheduleId: 'a', changed: ['spec.cron'] }],
      unchanged: [],
      pruned: ['b'],
    });
  });

  it('are compared again, and end as declared', async () => {
    await apply(list('updated', 'deleted'));
    const { client } = ledger();
    const declared = [
      hourly('new'),
      ...list('updated', 'deleted').map((one) => ({ ...one, spec: { cron: '9 * * * *' } })),
    ];
    const disturb = async (round: number) => {
      if (round > 0) return;
      await client.create(hourly('new', { spec: { cron: '1 * * * *' } }));
      await client.getHandle('new').delete();
      await client.getHandle('updated').update((previous) => ({ ...previous, spec: { cron: '2 * * * *' } }));
      await client.getHandle('deleted').delete();
    };
    const result = await apply(declared, { revision: 2 }, disturbed(disturb));
    expect(result).toMatchObject({
      status: 'applied',
      created: ['new', 'deleted'],
      updated: [{ scheduleId: 'updated', changed: ['spec.cron'] }],
    });
    for (const id of ['updated', 'deleted']) {
      expect((await client.getHandle(id).describe()).definition.spec).toEqual({ cron: '9 * * * *' });
    }
  });

  it('in their labels alone are compared again, and end as declared', async () => {
    const declared = (team: string) => [hourly('a', { memo: { team } })];
    await apply(declared('former'));
    const handle = ledger().client.getHandle('a');
    const disturb = async (round: number) => {
      if (round === 0) await handle.update((previous) => ({ ...previous, searchAttributes: { Team: ['theirs'] } }));
    };
    expect(await apply(declared('next'), { revision: 2 }, disturbed(disturb))).toMatchObject({
      updated: [{ scheduleId: 'a', changed: ['memo.team', 'searchAttributes'] }],
    });
    expect(await handle.describe()).toMatchObject({ memo: { team: 'next' }, searchAttributes: {} });
  });

  it('again and again are a typed error', async () => {
    await apply(list('a'));
    const disturb = (round: number) =>
      ledger()
        .client.getHandle('a')
        .update((previous) => ({ ...previous, spec: { cron: `${round + 1} * * * *` } }));
    const applied = apply([hourly('a', { spec: { cron: '59 * * * *' } })], { revision: 2 }, disturbed(disturb));
    await expect(applied).rejects.toBeInstanceOf(ApplyConflictError);
    await expect(applied).rejects.toMatchObject({ source: 'billing', scheduleIds: ['a'] });
  });
});

async function sourceState(): Promise<unknown> {
  return (await ledger().query(`select value from escapement.meta where key = 'source:billing'`))[0]?.value;
}
