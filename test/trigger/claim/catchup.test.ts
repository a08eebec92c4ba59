import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { SHADOW_FORMAT } from '../../../store/spec-format';
import { expectFirings } from '../../../testing';
import { useEnvironment } from '../../support/environment';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const environment = useEnvironment('2026-03-01T00:30:00Z');
const ALLOW_ALL = { overlap: 'ALLOW_ALL' } as const;

/** An hourly schedule whose workflows take no time. */
function hourly(options: Partial<ScheduleOptions> = {}) {
  environment().double('echoFiring');
  return environment().client.create(someSchedule({ policies: ALLOW_ALL, ...options }));
}

/** No trigger runs until `back`; from then on one does. */
async function awayUntil(back: string) {
  await environment().withoutTrigger(() => environment().advanceTo(back));
  return environment().advanceTo(back);
}

describe('what was missed while no trigger ran', () => {
  it('fires late, oldest first, by the defaults', async () => {
    const { scheduleId } = await hourly();
    const fired = await awayUntil('2026-03-01T03:00:05Z');
    expectFirings(fired).toBe(['01:00 catchup completed', '02:00 catchup completed', '03:00 completed']);
    expect(await environment().answers(scheduleId)).toHaveLength(3);
  });

  it('beyond the limit becomes one gap with its exact times and count', async () => {
    const { scheduleId } = await hourly({ policies: { ...ALLOW_ALL, catchupLimit: 2 } });
    await awayUntil('2026-03-02T00:30:00Z');
    expectFirings(await environment().answers(scheduleId)).toBe([
      '2026-03-01 01:00..2026-03-01 22:00 gap of 22 (over_catchup_limit)',
      '2026-03-01 23:00 catchup completed',
      '2026-03-02 00:00 catchup completed',
    ]);
  });

  it('outside of the window becomes a gap, and what is on time fires with limit 0', async () => {
    const { scheduleId } = await hourly({ policies: { ...ALLOW_ALL, catchupWindow: '2 hours', catchupLimit: 0 } });
    await awayUntil('2026-03-01T06:00:00Z');
    expectFirings(await environment().answers(scheduleId)).toBe([
      '01:00..03:00 gap of 3 (outside_catchup_window)',
      '04:00..05:00 gap of 2 (over_catchup_limit)',
      '06:00 completed',
    ]);
  });

  it('in shadow, where it would become a gap, is said to be left to native, and no alert opens', async () => {
    const policies = { catchupWindow: '1 minute' } as const;
    const claimed = await ledger().client.create(someSchedule({ policies }));
    const updated = await ledger().client.create(someSchedule({ policies }));
    await ledger().query('update escapement.timers set spec_format = $1', [SHADOW_FORMAT]);
    const { passes } = await ledger().trigger();
    await passes.alert();
    ledger().clock.set('2026-03-01T03:30:00Z');
    await updated.update((previous) => ({
      ...previous,
      policies: { ...previous.policies, catchupWindow: '2 minutes' },
    }));
    await passes.claim();
    await passes.alert();
    for (const { scheduleId } of [claimed, updated]) {
      expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00..03-01T03:00:00 gap 3 native']);
    }
    const missed = (await ledger().client.alerts.list()).filter(({ condition }) => condition === 'missed');
    expect(missed).toEqual([]);
  });

  it('in shadow keeps the gap of a pause, which counts on both sides', async () => {
    const handle = await ledger().client.create(someSchedule());
    await ledger().query('update escapement.timers set spec_format = $1', [SHADOW_FORMAT]);
    await handle.pause({ until: new Date('2026-03-01T03:30:00Z') });
    ledger().clock.set('2026-03-01T03:30:00Z');
    await (await ledger().trigger()).passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00..03-01T03:00:00 gap 3 paused']);
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
    const handle = await hourly();
    await handle.pause('maintenance');
    expect(await environment().advanceTo('2026-03-01T03:30:00Z')).toEqual([]);
    expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'maintenance' });
    await handle.unpause();
    await environment().advanceTo('2026-03-01T04:00:00Z');
    expectFirings(await environment().answers(handle.scheduleId)).toBe([
      '01:00..03:00 gap of 3 (paused)',
      '04:00 completed',
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
    const scheduleId = 'reused';
    const handle = await hourly({ scheduleId });
    await environment().advanceTo('2026-03-01T01:00:00Z');
    await handle.delete();
    expect(await environment().advanceTo('2026-03-01T04:10:00Z')).toEqual([]);
    await environment().client.create(someSchedule({ scheduleId, policies: ALLOW_ALL }));
    await environment().advanceTo('2026-03-01T05:00:00Z');
    expectFirings(await environment().answers(scheduleId)).toBe([
      '01:00 completed',
      '02:00..04:00 gap of 3 (deleted)',
      '05:00 completed',
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
