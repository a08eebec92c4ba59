import { describe, expect, it } from 'vitest';
import type { SchedulePolicies } from '../../../index';
import { DUE, SLOW, useAhead } from './ahead';

const { ledger, hourly, withOneOpen, passesBefore, execution, firstTaskAfter } = useAhead();

describe('a firing that is handed over ahead of its time', () => {
  it('begins no earlier than its time, and is one firing like any other', async () => {
    const { handle, trigger } = await hourly();
    expect(await passesBefore(trigger, 1_500)).toHaveLength(1);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
    await execution(handle.scheduleId).result();
    expect(await firstTaskAfter(handle.scheduleId)).toBeGreaterThanOrEqual(1_500);

    ledger().clock.set('2026-03-01T01:00:02Z');
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    await trigger.passes.observe();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule closed completed']);
    const [{ lag }] = (await ledger().query(`select extract(epoch from lag)::float as lag from escapement.ledger`)) as [
      { lag: number },
    ];
    expect(lag).toBe(0);
  });

  it('waits for its time where its trigger hands nothing over ahead', async () => {
    await hourly();
    const trigger = await ledger().trigger({ limits: SLOW, preStartCap: 0 });
    expect(await passesBefore(trigger, 1_500)).toEqual([]);
    expect(await passesBefore(await ledger().trigger({ limits: SLOW, preStartCap: '2 seconds' }), 1_500)).toHaveLength(
      1,
    );
  });

  it('waits for its time where the schedule asks for that', async () => {
    const { trigger } = await hourly({ preStart: false });
    expect(await passesBefore(trigger, 1_500)).toEqual([]);
  });

  it('is handed over a minute ahead where its schedule allows that, and says so until it begins', async () => {
    const { handle, trigger } = await hourly({ preStart: '1 minute' });
    expect(await passesBefore(trigger, 60_001)).toEqual([]);
    expect((await handle.explain(new Date(DUE))).sentence).toMatch(/may be handed to Temporal from .*00:59:00/);
    expect(await passesBefore(trigger, 60_000)).toHaveLength(1);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
    const described = await handle.describe();
    expect(described.policies.preStart).toBe(60_000);
    expect(described.info.handedOver).toEqual([{ scheduledAt: new Date(DUE), startsAt: new Date(DUE) }]);
    expect((await handle.pause()).handedOver).toMatchObject([{ scheduledTime: new Date(DUE) }]);
    ledger().clock.set(DUE);
    expect((await handle.describe()).info.handedOver).toEqual([]);
  });

  it('waits where a trigger hands nothing over, whatever its schedule allows, and no longer than that where it allows less', async () => {
    const { trigger } = await hourly({ preStart: '2 seconds' });
    expect(await passesBefore(await ledger().trigger({ limits: SLOW, preStartCap: 0 }), 1_500)).toEqual([]);
    expect(await passesBefore(trigger, 2_001)).toEqual([]);
    expect(await passesBefore(trigger, 2_000)).toHaveLength(1);
  });

  it('follows the update that says how far ahead', async () => {
    const { handle, trigger } = await hourly();
    expect(await passesBefore(trigger, 30_000)).toEqual([]);
    await handle.update((previous) => ({ ...previous, policies: { ...previous.policies, preStart: '30 seconds' } }));
    await trigger.passes.claim();
    expect(await passesBefore(trigger, 29_999)).toHaveLength(1);
  });

  it('does not draw those of other schedules with it', async () => {
    const { trigger } = await hourly({ preStart: '1 minute' });
    const { handle } = await hourly();
    expect(await passesBefore(trigger, 30_000)).toHaveLength(1);
    expect(await ledger().answers(handle.scheduleId)).toEqual([]);
  });

  it('waits for its time where the schedule has another firing open', async () => {
    const { trigger } = await withOneOpen({ overlap: 'SKIP' });
    expect(await passesBefore(trigger, 1_500)).toEqual([]);
  });

  it('overlaps where the policy allows it in any case', async () => {
    const { trigger } = await withOneOpen({ overlap: 'ALLOW_ALL' });
    expect(await passesBefore(trigger, 1_500)).toHaveLength(1);
  });

  it.each<[string, SchedulePolicies]>([
    ['a failed one would pause it', { overlap: 'ALLOW_ALL', pauseOnFailure: true }],
    ['only so many may be open', { overlap: 'ALLOW_ALL', maxConcurrent: 2 }],
  ])('waits for its time where another firing is open and %s', async (_, policies) => {
    const { trigger } = await withOneOpen(policies);
    expect(await passesBefore(trigger, 1_500)).toEqual([]);
  });

  it('waits for its time while another firing waits for its turn', async () => {
    const { handle, trigger } = await withOneOpen({ overlap: 'ALLOW_ALL' });
    await handle.trigger('BUFFER_ALL');
    await trigger.passes.claim();
    expect(await passesBefore(trigger, 1_500)).toEqual([]);
  });

  it('is handed over only where starting it when it is due would take too long', async () => {
    const { handle } = await hourly();
    const fast = await ledger().trigger();
    expect(await passesBefore(fast, 500)).toEqual([]);
    expect(await ledger().answers(handle.scheduleId)).toEqual([]);
  });

  it('takes one of the remaining actions', async () => {
    const { handle, trigger } = await hourly();
    await handle.update((previous) => ({ ...previous, state: { remainingActions: 1 } }));
    await trigger.passes.claim();
    await passesBefore(trigger, 1_500);
    expect((await handle.describe()).state).toMatchObject({ remainingActions: 0, completed: true });
  });
});

it('what was paused, deleted or completed is not handed over, though its timer wakes just ahead', async () => {
  for (const asleep of [
    `update escapement.schedules set paused = true`,
    `update escapement.schedules set deleted_at = now()`,
    `update escapement.timers set remaining_actions = 0`,
  ]) {
    const { trigger } = await hourly();
    await ledger().query(asleep);
    expect(await passesBefore(trigger, 1_500)).toEqual([]);
  }
});

it('what may overlap with itself is handed over for each of its coming times', async () => {
  const { handle, trigger } = await hourly({ overlap: 'ALLOW_ALL' }, {}, { cron: '58-59 59 0 * * *' });
  ledger().clock.set('2026-03-01T00:59:57Z');
  await trigger.passes.claim();
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T00:59:58 schedule linked',
    '03-01T00:59:59 schedule linked',
  ]);
});
