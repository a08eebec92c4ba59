import { describe, expect, inject, it } from 'vitest';
import type { Trigger } from '../../../trigger';
import { refusing } from '../../support/failures/refusing';
import type { TestLedger } from '../../support/ledger';
import { adoptAll, copyOf, DUE, fireAt, on, runsOf, useFailover } from './failed-over';

const { worker, original, schedule, listed } = useFailover();

/** Let the failed run of the first firing end, and record its end. */
async function observeFailure(ledger: TestLedger, trigger: Trigger, scheduleId: string): Promise<void> {
  await expect(worker().client.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).result()).rejects.toThrow();
  ledger.clock.advance(1_000);
  await trigger.passes.observe();
  expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed failed']);
}

describe('after a failover that lost the restart of a firing', () => {
  it.each(['claimed', 'linked'] as const)(
    'its run is adopted at once, and holds its schedule, though the ledger has the firing as %s before it',
    async (state) => {
      const scheduleId = await on(original(), async (ledger) => {
        const handle = await ledger.client.create(schedule('alwaysFails', { policies: { overlap: 'SKIP' } }));
        const { passes } = await ledger.trigger();
        ledger.clock.set(DUE);
        await passes.claim();
        if (state === 'linked') await passes.dispatch();
        expect(await ledger.answers(handle.scheduleId)).toEqual([`03-01T01:00:00 schedule ${state}`]);
        return handle.scheduleId;
      });
      const copy = await copyOf(original());
      const lost = await on(
        original(),
        async (ledger) => {
          const trigger = await ledger.trigger();
          await trigger.passes.dispatch();
          await observeFailure(ledger, trigger, scheduleId);
          const handle = ledger.client.getHandle(scheduleId);
          await handle.update((previous) => ({
            ...previous,
            action: { ...previous.action, workflowType: 'untilFinished' },
          }));
          await handle.runAgain(DUE);
          await fireAt(ledger, '2020-03-01T01:02:00Z');
          return runsOf(ledger, scheduleId);
        },
        '2020-03-01T01:01:00Z',
      );
      expect(lost).toEqual([[`${scheduleId}-workflow-${DUE}-restart-1`, expect.any(String)]]);
      await listed(scheduleId, 2);

      await on(
        copy,
        async (ledger) => {
          const trigger = await ledger.trigger();
          await trigger.passes.heartbeat();
          expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
          expect(await runsOf(ledger, scheduleId)).toEqual(lost);
          await trigger.passes.observe();
          ledger.clock.advance(1_000);
          await trigger.passes.claim();
          expect((await trigger.passes.verify()).skipped).toHaveLength(1);
          expect(await ledger.answers(scheduleId)).toEqual([
            '03-01T01:00:00 backfill linked',
            '03-01T02:00:00 schedule skipped overlap',
          ]);
        },
        '2020-03-01T02:00:00Z',
      );
    },
  );

  it('no redrive is carried out before Temporal has said what runs, and none that it has started already', async () => {
    const scheduleId = await on(original(), async (ledger) => {
      const handle = await ledger.client.create(schedule('alwaysFails'));
      const trigger = await fireAt(ledger, DUE);
      await observeFailure(ledger, trigger, handle.scheduleId);
      const { deadLetters } = ledger.client;
      for await (const { letterId } of deadLetters.list()) await deadLetters.redrive(letterId, { mode: 'restart' });
      return handle.scheduleId;
    });
    const copy = await copyOf(original());
    const lost = await on(
      original(),
      async (ledger) => {
        const { passes } = await ledger.trigger();
        expect(await passes.redrive()).toMatchObject({ restarted: 1 });
        expect(await passes.dispatch()).toMatchObject({ linked: 1 });
        return runsOf(ledger, scheduleId);
      },
      '2020-03-01T01:01:00Z',
    );
    await listed(scheduleId, 2);

    await on(
      copy,
      async (ledger) => {
        const PERMISSION_DENIED = 7;
        let isRefused = true;
        const connection = refusing(
          inject('temporalAddress'),
          PERMISSION_DENIED,
          (method) => isRefused && method === 'ListWorkflowExecutions',
        );
        const trigger = await ledger.trigger({ connection });
        await trigger.passes.heartbeat();
        // Before the trigger knows which namespaces must answer, and while one of them has not answered.
        expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
        expect(await trigger.passes.adopt()).toMatchObject({ complete: false });
        expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed failed']);

        isRefused = false;
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
        expect(await trigger.passes.redrive()).toMatchObject({ taken: 1, restarted: 0, refused: 1 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
      },
      '2020-03-01T01:05:00Z',
    );
  });
});
