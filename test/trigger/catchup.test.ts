import { describe, expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const ALLOW_ALL = { overlap: 'ALLOW_ALL' } as const;

describe('what was missed while no trigger ran', () => {
  it('fires late, oldest first, by the defaults', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T03:00:05Z');
    const { claimed } = await trigger.passes.claim();
    expect(claimed.map((key) => key.scheduledTime.toISOString().slice(11, 16))).toEqual(['01:00', '02:00', '03:00']);
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 catchup claimed',
      '03-01T02:00:00 catchup claimed',
      '03-01T03:00:00 schedule claimed',
    ]);
  });

  it('beyond the limit becomes one gap with its exact times and count', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: { ...ALLOW_ALL, catchupLimit: 2 } }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-02T00:30:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T22:00:00 gap 22 over_catchup_limit',
      '03-01T23:00:00 catchup claimed',
      '03-02T00:00:00 catchup claimed',
    ]);
  });

  it('outside of the window becomes a gap, and what is on time fires with limit 0', async () => {
    const { client, clock } = ledger();
    const policies = { ...ALLOW_ALL, catchupWindow: '2 hours', catchupLimit: 0 } as const;
    const handle = await client.create(someSchedule({ policies }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T06:00:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T03:00:00 gap 3 outside_catchup_window',
      '03-01T04:00:00..03-01T05:00:00 gap 2 over_catchup_limit',
      '03-01T06:00:00 schedule claimed',
    ]);
  });

  it('without a limit comes in bounded passes until all is answered', async () => {
    const { client, clock } = ledger();
    const policies = { ...ALLOW_ALL, catchupLimit: Number.POSITIVE_INFINITY };
    const handle = await client.create(someSchedule({ spec: { intervals: [{ every: '1 minute' }] }, policies }));
    const trigger = await ledger().trigger({ limits: { firingsPerScheduleAndPass: 40 } });
    clock.set('2026-03-01T02:10:00Z');
    const claims = [];
    for (let pass = 0; pass < 4; pass++) claims.push((await trigger.passes.claim()).claimed.length);
    expect(claims).toEqual([40, 40, 20, 0]);
    expect(await ledger().answers(handle.scheduleId)).toHaveLength(100);
  });
});

describe('a pause', () => {
  it('fires nothing, and its occurrences are answered by a gap when it ends', async () => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ policies: ALLOW_ALL }));
    const trigger = await ledger().trigger();
    await handle.pause('maintenance');
    clock.set('2026-03-01T03:30:00Z');
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    expect((await handle.describe()).state).toEqual({ paused: true, note: 'maintenance' });
    await handle.unpause();
    clock.set('2026-03-01T04:00:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00..03-01T03:00:00 gap 3 paused',
      '03-01T04:00:00 schedule claimed',
    ]);
  });

  it('lets a person fire by hand', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule({ state: { paused: true } }));
    const trigger = await ledger().trigger();
    const firing = await handle.trigger();
    expect(firing).toMatchObject({ kind: 'manual', state: 'buffered', actor: 'test' });
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T00:30:00.001 manual claimed']);
  });
});

describe('a deleted schedule', () => {
  it('fires nothing more, keeps its history, and answers for the time until its name is used again', async () => {
    const { client, clock } = ledger();
    const options = someSchedule({ policies: ALLOW_ALL });
    const handle = await client.create(options);
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await handle.delete();
    clock.set('2026-03-01T04:10:00Z');
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    await client.create(options);
    clock.set('2026-03-01T05:00:00Z');
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule claimed',
      '03-01T02:00:00..03-01T04:00:00 gap 3 deleted',
      '03-01T05:00:00 schedule claimed',
    ]);
    expect((await handle.describe()).info.version).toBe(2);
  });

  it('skips the manual firing that it did not come to', async () => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    const trigger = await ledger().trigger();
    await handle.trigger();
    await handle.delete();
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T00:30:00.001 manual skipped schedule_deleted']);
  });
});
