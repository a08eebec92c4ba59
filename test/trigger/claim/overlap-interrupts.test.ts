import { describe, expect, inject, it } from 'vitest';
import type { ScheduleHandle, SchedulePolicies } from '../../../index';
import type { Trigger } from '../../../trigger';
import { announceAll } from '../../support/announced';
import { proxyOf } from '../../support/connections/proxy';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');

const worker = useWorker();
const time = (clock: string) => new Date(`2026-03-01T${clock}:00Z`);

function runsUntilFinished(policies: SchedulePolicies, workflowType = 'untilFinished') {
  const { taskQueue } = worker();
  return someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue }, policies });
}

/** Each pass once, at this instant. @returns what the last one sent */
async function passesAt(trigger: Trigger, instant: string) {
  ledger().clock.set(instant);
  await trigger.passes.claim();
  await trigger.passes.verify();
  await trigger.passes.dispatch();
  return trigger.passes.interrupt();
}

describe('overlap', () => {
  it.each(['CANCEL_OTHER', 'TERMINATE_OTHER'] as const)(
    '%s says of what gave way that it was superseded',
    async (overlap) => {
      const handle = await ledger().client.create(runsUntilFinished({ overlap }));
      const trigger = await ledger().trigger();
      await passesAt(trigger, '2026-03-01T03:00:00Z');
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        '03-01T01:00:00 catchup skipped superseded',
        '03-01T02:00:00 catchup skipped superseded',
        '03-01T03:00:00 schedule linked',
      ]);
      expect((await handle.explain('2026-03-01T02:00:00Z')).sentence).toMatch(/a later firing took its place/);
    },
  );

  it('CANCEL_OTHER cancels the running one and starts when that has ended', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'CANCEL_OTHER' }));
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
    const first = worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`);
    await expect(first.result()).rejects.toThrow(/cancel/);
    ledger().clock.advance(1_000);
    await trigger.passes.observe();
    await passesAt(trigger, '2026-03-01T02:00:02Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed canceled',
      '03-01T02:00:00 schedule linked',
    ]);
  });

  it.each([
    ['ten minutes', {}, '02:09:59', '02:10:00'],
    ['as long as it is told', { cancelWait: '90 seconds' as const }, '02:01:29', '02:01:30'],
  ])(
    'CANCEL_OTHER waits %s for a chain that does not end, then skips and says so',
    async (_, options, before, then) => {
      const { scheduleId } = await ledger().client.create(
        runsUntilFinished({ overlap: 'CANCEL_OTHER' }, 'ignoresCancel'),
      );
      const trigger = await ledger().trigger(options);
      for (const hour of ['01', '02']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
      await passesAt(trigger, `2026-03-01T${before}Z`);
      expect((await ledger().answers(scheduleId))[1]).toBe('03-01T02:00:00 schedule buffered');
      await passesAt(trigger, `2026-03-01T${then}Z`);
      expect((await ledger().answers(scheduleId))[1]).toBe('03-01T02:00:00 schedule skipped cancel_ignored');
    },
  );

  it('CANCEL_OTHER cancels the retry of a chain that it has cancelled before, if another firing is to take its place', async () => {
    const { taskQueue } = worker();
    const retry = { maximumAttempts: 2, initialInterval: '1 millisecond' as const };
    const action = { type: 'startWorkflow', workflowType: 'failsWhenCancelled', taskQueue, retry } as const;
    const { scheduleId } = await ledger().client.create(
      someSchedule({ action, policies: { overlap: 'CANCEL_OTHER' } }),
    );
    const trigger = await ledger().trigger();
    await passesAt(trigger, '2026-03-01T01:00:00Z');
    const chain = worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T01:00:00Z`);
    const { runId } = await chain.describe();
    await passesAt(trigger, '2026-03-01T02:00:00Z');
    await expect.poll(async () => (await chain.describe()).runId).not.toBe(runId);
    await passesAt(trigger, '2026-03-01T02:10:00Z');
    expect(await passesAt(trigger, '2026-03-01T03:00:00Z')).toMatchObject({ sent: 1 });
    await expect(chain.result()).rejects.toThrow(/failed/);
    ledger().clock.advance(1_000);
    await trigger.passes.observe();
    await passesAt(trigger, '2026-03-01T03:00:02Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed failed',
      '03-01T02:00:00 schedule skipped cancel_ignored',
      '03-01T03:00:00 schedule linked',
    ]);
  });

  it('CANCEL_OTHER cancels a chain once for each firing that begins to wait, and not again while it waits', async () => {
    const { scheduleId } = await ledger().client.create(
      runsUntilFinished({ overlap: 'CANCEL_OTHER' }, 'ignoresCancel'),
    );
    const trigger = await ledger().trigger();
    const sent: number[] = [];
    for (const clock of ['01:00', '02:00', '02:05', '02:10', '03:00', '03:05', '03:10']) {
      ledger().clock.set(time(clock).toISOString());
      await trigger.passes.claim();
      await ledger().query('update escapement.timers set wake_at = $1', [time(clock)]);
      for (const pass of ['claim', 'verify', 'dispatch'] as const) await trigger.passes[pass]();
      const result = await trigger.passes.interrupt();
      expect(result).toMatchObject({ unanswered: 0 });
      sent.push(result.sent);
    }
    expect(sent).toEqual([0, 1, 0, 0, 1, 0, 0]);
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule skipped cancel_ignored',
      '03-01T03:00:00 schedule skipped cancel_ignored',
    ]);
  });

  it('TERMINATE_OTHER ends the running one and starts at once', async () => {
    const { scheduleId } = await ledger().client.create(
      runsUntilFinished({ overlap: 'TERMINATE_OTHER' }, 'ignoresCancel'),
    );
    const trigger = await ledger().trigger();
    for (const hour of ['01', '02']) await passesAt(trigger, `2026-03-01T${hour}:00:00Z`);
    await passesAt(trigger, '2026-03-01T02:00:00Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed terminated',
      '03-01T02:00:00 schedule linked',
    ]);
  });

  it('an interrupt that Temporal did not hear of is sent again', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'TERMINATE_OTHER' }));
    const proxy = await proxyOf(inject('temporalAddress'));
    const trigger = await ledger().trigger({ connection: { address: proxy.address } });
    await passesAt(trigger, '2026-03-01T01:00:00Z');
    ledger().clock.set('2026-03-01T02:00:00Z');
    await trigger.passes.claim();
    proxy.cut();
    expect(await trigger.passes.interrupt()).toEqual({ sent: 0, closed: 0, unanswered: 1 });
    proxy.restore();
    const interruptLater = () => {
      ledger().clock.advance(1_000);
      return trigger.passes.interrupt();
    };
    await expect.poll(interruptLater).toEqual({ sent: 1, closed: 1, unanswered: 0 });
    await passesAt(trigger, '2026-03-01T02:10:00Z');
    expect((await ledger().answers(scheduleId))[1]).toBe('03-01T02:00:00 schedule linked');
  });
});

/** The first firing is announced and not started yet, and is to be ended for the second, which waits. */
async function waitsForOneThatHasNotBegun(overlap: 'CANCEL_OTHER' | 'TERMINATE_OTHER') {
  const handle = await ledger().client.create(runsUntilFinished({ overlap }));
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await announceAll(ledger(), trigger);
  ledger().clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T01:00:00 schedule claimed',
    '03-01T02:00:00 schedule buffered',
  ]);
  return { handle, trigger };
}

/** The announced start is called at last. */
async function startLate({ passes }: Trigger, instant: string) {
  ledger().clock.set(instant);
  await passes.claim();
  await passes.verify();
  await passes.reconcile();
  await passes.dispatch();
  return passes.interrupt();
}

const withOverlap = (handle: ScheduleHandle, overlap: SchedulePolicies['overlap']) =>
  handle.update((previous) => ({ ...previous, policies: { ...previous.policies, overlap } }));

describe('a chain that was to be ended as soon as it begins goes on', () => {
  it.each(['CANCEL_OTHER', 'TERMINATE_OTHER'] as const)(
    '%s: if a pause has skipped the firing that waited for its end',
    async (overlap) => {
      const { handle, trigger } = await waitsForOneThatHasNotBegun(overlap);
      await handle.pause();
      await trigger.passes.claim();
      await handle.unpause();
      expect(await startLate(trigger, '2026-03-01T02:30:00Z')).toMatchObject({ sent: 0 });
      expect(await ledger().answers(handle.scheduleId)).toEqual([
        '03-01T01:00:00 schedule linked',
        '03-01T02:00:00 schedule skipped paused',
      ]);
    },
  );

  it.each([
    ['SKIP', 'skipped overlap_waiting'],
    ['BUFFER_ALL', 'buffered'],
  ] as const)('if the policy is %s by then', async (overlap, second) => {
    const { handle, trigger } = await waitsForOneThatHasNotBegun('TERMINATE_OTHER');
    await withOverlap(handle, overlap);
    expect(await startLate(trigger, '2026-03-01T02:30:00Z')).toMatchObject({ sent: 0 });
    expect(await ledger().answers(handle.scheduleId)).toEqual([
      '03-01T01:00:00 schedule linked',
      `03-01T02:00:00 schedule ${second}`,
    ]);
  });

  it('while a freeze keeps the firing that waits for its end, and is ended when the freeze is over', async () => {
    const { handle, trigger } = await waitsForOneThatHasNotBegun('TERMINATE_OTHER');
    await ledger().client.freezes.create({ scheduleIds: [handle.scheduleId], to: time('04:30') });
    expect(await startLate(trigger, '2026-03-01T03:00:00Z')).toMatchObject({ sent: 0 });
    expect((await ledger().answers(handle.scheduleId))[0]).toBe('03-01T01:00:00 schedule linked');
    expect(await startLate(trigger, '2026-03-01T04:30:00Z')).toMatchObject({ sent: 1 });
  });
});
