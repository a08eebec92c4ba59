import { describe, expect, it } from 'vitest';
import { type ApplyProgress, PruneRefusedError, SourceNotFoundError, StaleRevisionError } from '../../../index';
import { hourly, list, useBilling } from './billing';

const { ledger, apply, everything, live, versions } = useBilling();

describe('apply', () => {
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
    expect(await ledger().newClient({ tenant: '' }).sources.list()).toMatchObject([
      { tenant: undefined, schedules: 2 },
    ]);
    const before = await ledger().query('select xmin::text, * from escapement.schedules');
    expect(await sources.reset('billing', { revision: 42 })).toMatchObject({ revision: 42, complete: false });
    expect(await ledger().query('select xmin::text, * from escapement.schedules')).toEqual(before);
    await expect(apply(list('a'), { revision: 41 })).rejects.toBeInstanceOf(StaleRevisionError);
    expect(await apply(list('a', 'b', 'c'), { revision: 42 })).toMatchObject({ status: 'applied', created: ['c'] });
    await expect(sources.reset('biling', { revision: 1 })).rejects.toThrow(/no source 'biling'.*did you mean billing/);
    await apply(list('other'), { source: 'shop' });
    await expect(acme.sources.reset('shop', { revision: 1 })).rejects.toThrow(
      /no source 'shop' has applied schedules$/,
    );
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
});
