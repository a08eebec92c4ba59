import { describe, expect, it } from 'vitest';
import {
  InvalidScheduleError,
  ScheduleConflictError,
  type ScheduleHandle,
  ScheduleNotFoundError,
  type ScheduleUpdater,
  type ScheduleVersion,
} from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

const ALLOW_ALL = { overlap: 'ALLOW_ALL' } as const;

const HALF_PAST = { cron: '30 * * * *' };

describe('update', () => {
  it('takes what describe returns: a definition that is handed back as it is changes nothing', async () => {
    const { client } = ledger();
    const handle = await client.create(
      someSchedule({
        spec: { cron: '0 2 * * *', at: new Date('2026-05-01T00:00:00Z'), startAt: new Date('2026-01-01T00:00:00Z') },
        action: {
          type: 'startWorkflow',
          workflowType: 'report',
          taskQueue: 'reports',
          args: ['emea', { deep: [1] }],
          retry: { maximumAttempts: Number.POSITIVE_INFINITY, initialInterval: '2s' },
          softTimeout: '5 minutes',
        },
        policies: { catchupLimit: Number.POSITIVE_INFINITY, maxConcurrent: 3, pauseOnFailure: true },
        state: { note: 'for finance', remainingActions: 7 },
      }),
    );
    const before = await handle.describe();
    await handle.update((previous) => previous);
    await handle.update((previous) => ({ ...previous }));
    expect(await handle.describe()).toEqual(before);
    expect(before.info.version).toBe(1);
    expect(before.info.lastUpdatedAt).toBeUndefined();
  });

  it('replaces the definition: what the result leaves out goes to its default', async () => {
    const { client } = ledger();
    const handle = await client.create(
      someSchedule({
        policies: { catchupLimit: 3, overlap: 'BUFFER_ALL' },
        state: { note: 'old', remainingActions: 4 },
      }),
    );
    await handle.update(async ({ action }) => ({ spec: HALF_PAST, action: { ...action, args: ['new'] } }));
    const { definition, action, policies, state, info } = await handle.describe();
    expect({ ...definition, args: action.args, version: info.version }).toEqual({
      spec: HALF_PAST,
      args: ['new'],
      version: 2,
    });
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupLimit: 100 });
    expect(state).toEqual({ paused: false });
  });

  it('keeps a version of each definition, with who wrote it and when', async () => {
    const { client, clock } = ledger();
    const options = someSchedule();
    const handle = await client.create(options);
    clock.set('2026-03-01T00:40:00Z');
    await ledger().newClient({ identity: 'ops' }).getHandle(options.scheduleId).update(spec(HALF_PAST));
    await handle.pause();
    await handle.delete();
    await client.create({ ...options, action: { ...options.action, args: ['again'] } });
    const versions = await all(handle.versions({ pageSize: 2 }));
    expect(versions.map(({ version, actor, spec, action }) => ({ version, actor, spec, args: action.args }))).toEqual([
      { version: 3, actor: 'test', spec: options.spec, args: ['again'] },
      { version: 2, actor: 'ops', spec: HALF_PAST, args: [] },
      { version: 1, actor: 'test', spec: options.spec, args: [] },
    ]);
    expect(versions.map(({ createdAt }) => createdAt.toISOString().slice(11, 16))).toEqual(['00:40', '00:40', '00:30']);
  });

  it('pauses and unpauses without a new version', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    const paused = (paused: boolean) =>
      handle.update((previous) => ({ ...previous, state: { ...previous.state, paused } }));
    await paused(true);
    clock.set('2026-03-01T02:10:00Z');
    const trigger = await ledger().trigger();
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    await paused(false);
    clock.set('2026-03-01T03:00:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T02:00:00 gap 2 paused',
      '03-01T03:00:00 schedule claimed',
    ]);
    expect((await handle.describe()).info.version).toBe(1);
  });

  it.each([
    ['handle.unpause', (handle: ScheduleHandle) => handle.unpause()],
    ['an update', (handle: ScheduleHandle) => handle.update((previous) => ({ ...previous, state: { paused: false } }))],
  ])('what waits for its jitter when a pause ends is still to come (%s)', async (_, unpause) => {
    const { client, clock } = ledger();
    const spec = { cron: '0 * * * *', jitter: '50 minutes' } as const;
    // Its jitter at 02:00 follows from its ID: 44 minutes.
    const handle = await client.create(someSchedule({ scheduleId: 'invoices', spec, policies: ALLOW_ALL }));
    const trigger = await ledger().trigger();
    await handle.pause();
    clock.set('2026-03-01T02:00:00Z');
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    await unpause(handle);
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    clock.set('2026-03-01T02:59:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T01:00:00 gap 1 paused',
      '03-01T02:00:00 catchup claimed',
    ]);
  });

  it('repairs a schedule that was set aside', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "0 0 * * W"}'`);
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect((await handle.describe()).state.specError).toBeDefined();
    await handle.update((previous) => ({ ...previous, spec: HALF_PAST }));
    expect((await handle.describe()).state).toEqual({ paused: false });
    clock.set('2026-03-01T01:30:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:30:00 schedule claimed']);
  });

  it('keeps a stored range of years that ends before it begins, but accepts none', async () => {
    const { client, clock } = ledger();
    const spec = { cron: '0 0 * * * * 2028-2027' };
    const refused = { path: 'spec.cron', message: expect.stringContaining('ends before it begins') };
    await expect(client.create(someSchedule({ spec }))).rejects.toMatchObject(refused);
    const handle = await client.create(someSchedule());
    await ledger().query('update escapement.schedule_versions set spec = $1::jsonb', [JSON.stringify(spec)]);
    await expect(handle.update(({ action }) => ({ spec: { ...spec, dst: 'LITERAL' }, action }))).rejects.toMatchObject(
      refused,
    );
    await handle.update((previous) => ({ ...previous, policies: ALLOW_ALL }));
    expect((await handle.describe()).info.version).toBe(2);
    const { passes } = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule claimed']);
  });

  it('of a schedule without actions left answers for the time it slept', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL, state: { remainingActions: 0 } }));
    expect((await handle.describe()).state).toMatchObject({ remainingActions: 0, completed: true });
    clock.set('2026-03-01T02:10:00Z');
    await handle.update((previous) => ({ ...previous, state: { remainingActions: 2 } }));
    expect((await handle.describe()).state).toEqual({ paused: false, remainingActions: 2 });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00..03-01T02:00:00 gap 2 completed']);
  });

  it('leaves actions that were counted down meanwhile as they are', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule({ state: { remainingActions: 5 } }));
    await handle.update(async (previous) => {
      await ledger().query('update escapement.timers set remaining_actions = 4');
      return { ...previous, spec: HALF_PAST };
    });
    expect((await handle.describe()).state.remainingActions).toBe(4);
  });

  it('calls its function again when others changed the schedule meanwhile', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    const seen: number[] = [];
    await handle.update(async (previous) => {
      seen.push(previous.info.version);
      if (seen.length === 1) await handle.update(spec({ cron: '1 * * * *' }));
      if (seen.length === 2) await handle.pause('stop');
      return { ...previous, policies: { catchupLimit: seen.length } };
    });
    expect(seen).toEqual([1, 2, 2]);
    expect(await handle.describe()).toMatchObject({
      spec: { cron: '1 * * * *' },
      policies: { catchupLimit: 3 },
      state: { paused: true, note: 'stop' },
    });
  });

  it('calls its function again when others changed how many actions are left', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ state: { remainingActions: 5 } }));
    const seen: unknown[] = [];
    await handle.update(async (previous) => {
      seen.push(previous.state.remainingActions);
      clock.advance(1_000);
      if (seen.length === 1) await handle.update((other) => ({ ...other, state: { remainingActions: 3 } }));
      return { ...previous, state: { remainingActions: 7 } };
    });
    expect(seen).toEqual([5, 3]);
  });

  it('calls its function again when others changed the labels meanwhile', async () => {
    const { client } = ledger();
    const labels = { memo: { team: 'a' }, searchAttributes: { Team: ['a'] } };
    const handle = await client.create(someSchedule(labels));
    const seen: unknown[] = [];
    await handle.update(async (previous) => {
      seen.push([previous.memo, previous.searchAttributes]);
      if (seen.length === 1) await handle.update((other) => ({ ...other, memo: { team: 'b' } }));
      if (seen.length === 2) {
        const searchAttributes = { Team: ['b'] };
        await handle.update(({ typedSearchAttributes: _, ...other }) => ({ ...other, searchAttributes }));
      }
      return { ...previous, memo: { ...previous.memo, owner: 'me' } };
    });
    expect(seen).toEqual([
      [{ team: 'a' }, { Team: ['a'] }],
      [{ team: 'b' }, { Team: ['a'] }],
      [{ team: 'b' }, { Team: ['b'] }],
    ]);
    expect(await handle.describe()).toMatchObject({
      memo: { team: 'b', owner: 'me' },
      searchAttributes: { Team: ['b'] },
    });
  });

  it('gives up with a typed error when others always were faster', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    let calls = 0;
    const attempt = handle.update(async (previous) => {
      calls += 1;
      await handle.update(spec({ cron: `${calls} * * * *` }));
      return { ...previous, spec: HALF_PAST };
    });
    await expect(attempt).rejects.toBeInstanceOf(ScheduleConflictError);
    await expect(attempt).rejects.toMatchObject({
      scheduleId: handle.scheduleId,
      expectedVersion: 5,
      actualVersion: 6,
    });
    expect(calls).toBe(5);
  });

  it.each<[string, object, string]>([
    ['a bad spec', { spec: { cron: 'often' } }, 'spec.cron'],
    ['a spec that never fires again', { spec: { at: [new Date('2020-01-01T00:00:00Z')] } }, 'spec'],
    ['a bad policy', { policies: { catchupLimit: -1 } }, 'policies.catchupLimit'],
    ['another namespace', { namespace: 'other' }, 'namespace'],
    ['another tenant', { tenant: 'other' }, 'tenant'],
    ['another ID', { scheduleId: 'other' }, 'scheduleId'],
    ['what only create can do', { state: { triggerImmediately: true } }, 'state.triggerImmediately'],
    ['a misspelt field', { polices: {} }, 'polices'],
  ])('refuses %s by its path and writes nothing', async (_, change, path) => {
    const handle = await ledger().client.create(someSchedule());
    const before = await handle.describe();
    const attempt = handle.update((previous) => ({ ...previous, ...change }));
    await expect(attempt).rejects.toBeInstanceOf(InvalidScheduleError);
    await expect(attempt).rejects.toMatchObject({ path });
    expect(await handle.describe()).toEqual(before);
  });

  it('refuses a function that returns nothing, and a schedule that is not there', async () => {
    const handle = await ledger().client.create(someSchedule());
    await expect(handle.update((() => undefined) as never)).rejects.toMatchObject({ path: 'update' });
    await handle.delete();
    await expect(handle.update((previous) => previous)).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });
});

function spec(spec: { cron: string }): ScheduleUpdater {
  return (previous) => ({ ...previous, spec });
}

async function all(versions: AsyncIterable<ScheduleVersion>): Promise<ScheduleVersion[]> {
  const found: ScheduleVersion[] = [];
  for await (const version of versions) found.push(version);
  return found;
}
