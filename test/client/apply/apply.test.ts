import { describe, expect, it } from 'vitest';
import { ApplyRefusedError, defineSchedule } from '../../../index';
import { nonceCodec } from '../../support/workers/codec';
import { action, hourly, list, many, useBilling } from './billing';

const { ledger, apply, everything, live, versions } = useBilling();

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
