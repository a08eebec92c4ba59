import { describe, expect, it } from 'vitest';
import { announceAll } from '../../support/announced';
import { DUE, SLOW, useAhead } from './ahead';

const { ledger, hourly, setBefore, passesBefore, execution, firstTaskAfter } = useAhead();

describe('a firing that is handed over ahead of its time', () => {
  it('is started though its schedule was paused, and its trigger died, before its start was called', async () => {
    const { handle, trigger } = await hourly();
    setBefore(9_000);
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    expect((await handle.pause()).handedOver).toHaveLength(1);
    const other = await ledger().trigger({ limits: SLOW });
    ledger().clock.set('2026-03-01T01:01:00Z');
    await other.passes.dispatch();
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('lets what waited behind it start, when a second pause stops it after its time', async () => {
    const { handle, trigger } = await hourly({ overlap: 'BUFFER_ALL' });
    setBefore(9_000);
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    await handle.pause();
    const { scheduledTime } = await handle.trigger('BUFFER_ALL');
    await trigger.passes.claim();
    ledger().clock.set('2026-03-01T01:01:00Z');
    await trigger.passes.claim();
    await handle.pause();
    const { claimed } = await trigger.passes.claim();
    expect(claimed.map((one) => one.scheduledTime)).toEqual([scheduledTime]);
  });

  it('is named by pause, update and delete, and fires all the same with its definition', async () => {
    const { handle, trigger } = await hourly({}, { args: ['former'] });
    await passesBefore(trigger, 1_500);
    const named = [
      {
        scheduledTime: new Date(DUE),
        startsAt: new Date(DUE),
        workflowId: `${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`,
      },
    ];
    expect((await handle.pause()).handedOver).toMatchObject(named);
    const { handedOver } = await handle.update((previous) => ({
      ...previous,
      spec: { cron: '30 * * * *' },
      action: { ...previous.action, args: ['new'] },
      state: { paused: false },
    }));
    expect(handedOver).toMatchObject(named);
    expect((await handle.explain(new Date(DUE))).sentence).toMatch(
      /was handed to Temporal ahead of time, and workflow/,
    );
    expect((await handle.delete()).handedOver).toMatchObject(named);
    await expect(execution(handle.scheduleId).result()).resolves.toMatchObject({ args: ['former'] });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('waits still when its time has come, and is skipped by a pause as whatever waits', async () => {
    const { handle, trigger } = await hourly();
    setBefore(9_000);
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    ledger().clock.set('2026-03-01T01:30:00Z');
    expect((await handle.pause()).handedOver).toEqual([]);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
  });

  it('is named until it is started, however late that is, once its start was announced', async () => {
    const { handle, trigger } = await hourly();
    setBefore(9_000);
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    await announceAll(ledger(), trigger);
    ledger().clock.set('2026-03-01T01:30:00Z');
    expect((await handle.pause()).handedOver).toMatchObject([{ scheduledTime: new Date(DUE), state: 'claimed' }]);
    const other = await ledger().trigger({ limits: SLOW });
    expect(await other.passes.reconcile()).toMatchObject({ restarted: 1 });
    expect((await handle.update((previous) => previous)).handedOver).toEqual([]);
  });

  it('leaves no second answer behind when the schedule is paused and goes on before its time', async () => {
    const { handle, trigger } = await hourly();
    await passesBefore(trigger, 1_500);
    await handle.pause();
    await handle.unpause();
    ledger().clock.set('2026-03-01T01:00:01Z');
    expect((await trigger.passes.claim()).claimed).toEqual([]);
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('is not cancelled in its delay, since that would begin it', async () => {
    const { handle, trigger } = await hourly({ overlap: 'CANCEL_OTHER' }, { workflowType: 'untilFinished' });
    await passesBefore(trigger, 1_500);
    await handle.trigger('CANCEL_OTHER');
    ledger().clock.advance(500);
    await trigger.passes.claim();
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 0 });
    ledger().clock.set(DUE);
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 1 });
  });

  it('still runs if a deletion has skipped the firing that was to take its place', async () => {
    const { handle, trigger } = await hourly({}, { workflowType: 'untilFinished' });
    await passesBefore(trigger, 1_500);
    await handle.trigger('TERMINATE_OTHER');
    ledger().clock.advance(500);
    await trigger.passes.claim();
    await handle.delete();
    await trigger.passes.claim();
    ledger().clock.set(DUE);
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 0 });
    expect((await ledger().answers(handle.scheduleId)).at(-1)).toBe('03-01T01:00:00 schedule linked');
  });

  it('is started for its time by another trigger, when the one that claimed it dies', async () => {
    const { handle, trigger } = await hourly();
    setBefore(9_000);
    await trigger.passes.heartbeat();
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    await announceAll(ledger(), trigger);
    const other = await ledger().trigger({ limits: SLOW });
    setBefore(900);
    await ledger().query(`update escapement.triggers set heartbeat_at = heartbeat_at - interval '1 hour'`);
    expect((await other.passes.reconcile()).deadTriggers).toEqual([trigger.id]);
    expect(await other.passes.reconcile()).toMatchObject({ restarted: 1 });
    await execution(handle.scheduleId).result();
    expect(await firstTaskAfter(handle.scheduleId)).toBeGreaterThanOrEqual(900);
  });
});
