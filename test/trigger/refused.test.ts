import { describe, expect, inject, it, vi } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { proxyOf } from '../support/proxy';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();
const DUE = '2026-03-01T01:00:00Z';
const action = () => ({ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue });

describe('a start that Temporal refuses', () => {
  it('counts as an attempt, and after three of them the firing is abandoned with the reason', async () => {
    // Larger than Temporal takes.
    const args = ['x'.repeat(2_500_000)];
    const handle = await ledger().client.create(someSchedule({ action: { ...action(), args } }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await trigger.passes.start()).toEqual({ linked: 0, deferred: 0, refused: 1 });
      expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({ startAttempts: attempt });
      ledger().clock.advance(2_000);
      await trigger.passes.reconcile();
    }
    const [firing] = await ledger().firings(handle.scheduleId);
    expect(firing).toMatchObject({
      state: 'abandoned',
      reason: 'start_rejected',
      lastError: expect.stringMatching(/size/i),
    });
  });

  it('because a stranger holds the workflow ID is abandoned, and the stranger is left alone', async () => {
    const { client: temporal, taskQueue } = worker();
    const handle = await ledger().client.create(someSchedule({ action: action() }));
    const workflowId = `${handle.scheduleId}-workflow-${DUE}`;
    const stranger = await temporal.workflow.start('echoFiring', { workflowId, taskQueue });
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.start()).toMatchObject({ refused: 1 });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule abandoned workflow_id_taken']);
    expect(await stranger.result()).not.toHaveProperty('firing');
  });

  it('because Temporal’s own schedule of this name did it already is skipped as native', async () => {
    const { client: temporal, taskQueue } = worker();
    const scheduleId = uniqueName('both');
    const native = await temporal.schedule.create({
      scheduleId,
      spec: { cronExpressions: ['0 * * * *'] },
      action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue },
      state: { paused: true },
    });
    await native.backfill({
      start: new Date('2026-03-01T00:59:00Z'),
      end: new Date('2026-03-01T01:01:00Z'),
      overlap: 'ALLOW_ALL',
    });
    await vi.waitFor(() => temporal.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).describe(), 20_000);
    await native.delete();

    await ledger().client.create(someSchedule({ scheduleId, action: action() }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.start();
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule skipped native']);
  });
});

describe('Temporal away', () => {
  it('costs no attempt: firings wait, and start when it is back', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const handle = await ledger().client.create(someSchedule({ action: action() }));
    const trigger = await ledger().trigger({ connection: { address: proxy.address } });
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    proxy.cut();
    expect(await trigger.passes.start()).toEqual({ linked: 0, deferred: 1, refused: 0 });
    expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({ state: 'claimed', startAttempts: 0 });

    proxy.restore();
    // The next call may still meet the connection that was cut; however often, it costs nothing.
    for (let linked = 0; linked === 0; ) {
      ledger().clock.advance(2_000);
      await trigger.passes.reconcile();
      linked = (await trigger.passes.start()).linked;
    }
    expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({
      state: 'linked',
      startAttempts: 0,
      recovery: null,
    });
  });

  it('puts a SKIP decision off rather than guess', async () => {
    const proxy = await proxyOf(inject('temporalAddress'));
    const { scheduleId } = await ledger().client.create(
      someSchedule({ action: { ...action(), workflowType: 'untilFinished' } }),
    );
    const trigger = await ledger().trigger({ connection: { address: proxy.address } });
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.start();
    proxy.cut();
    ledger().clock.set('2026-03-01T02:00:00Z');
    expect(await trigger.passes.claim()).toMatchObject({ claimed: [], skipped: [], postponed: [scheduleId] });
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  });

  it('of one namespace does not count against a firing, nor hold up another namespace', async () => {
    const lost = await ledger().client.create(someSchedule({ namespace: 'no-such-namespace' }));
    const fine = await ledger().client.create(someSchedule({ action: action() }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.start()).toEqual({ linked: 1, deferred: 1, refused: 0 });
    const [firing] = await ledger().firings(lost.scheduleId);
    expect(firing).toMatchObject({
      state: 'claimed',
      startAttempts: 0,
      lastError: expect.stringContaining('no-such-namespace'),
    });
    expect((await ledger().firings(fine.scheduleId))[0]).toMatchObject({ state: 'linked' });
  });
});
