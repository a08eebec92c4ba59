import { describe, expect, inject, it, vi } from 'vitest';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { announceAll } from '../../support/announced';
import { proxyOf } from '../../support/connections/proxy';
import { adoptAll, copyOf, DUE, fireAt, on, runsOf, useFailover } from './failed-over';

const { worker, original, schedule, listed } = useFailover();

describe('after a failover that lost transactions', () => {
  it('each lost firing is adopted with its run, none is doubled, and no gap covers one that ran', async () => {
    const policies = { overlap: 'ALLOW_ALL', catchupLimit: 1 } as const;
    const scheduleId = await on(original(), async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring', { policies }));
      await fireAt(ledger, DUE);
      return handle.scheduleId;
    });
    const copy = await copyOf(original());
    const lost = await on(
      original(),
      async (ledger) => {
        await fireAt(ledger, '2020-03-01T02:00:00Z', '2020-03-01T04:00:00Z');
        await ledger.newClient({ identity: 'alice' }).getHandle(scheduleId).trigger();
        await fireAt(ledger, '2020-03-01T04:30:00Z');
        return runsOf(ledger, scheduleId);
      },
      DUE,
    );
    expect(lost).toHaveLength(4);
    await listed(scheduleId, 4);

    await on(
      copy,
      async (ledger) => {
        const trigger = await ledger.trigger();
        // The gap would cover times that ran: after the first pass, and after a heartbeat.
        expect(await trigger.passes.claim()).toMatchObject({ due: 0, complete: false });
        await trigger.passes.heartbeat();
        expect(await trigger.passes.claim()).toMatchObject({ due: 0, complete: false });
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 3, reopened: 0 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect(ledger.log.messages().filter((message) => message === 'adopted')).toHaveLength(3);

        ledger.clock.advance(1_000);
        expect((await trigger.passes.claim()).claimed).toHaveLength(1);
        expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
        expect(await ledger.answers(scheduleId)).toEqual([
          '03-01T01:00:00 schedule linked',
          '03-01T02:00:00 schedule linked',
          '03-01T03:00:00..03-01T03:00:00 gap 1 over_catchup_limit',
          '03-01T04:00:00 schedule linked',
          '03-01T04:00:00.001 manual linked',
          '03-01T05:00:00..03-01T05:00:00 gap 1 over_catchup_limit',
          '03-01T06:00:00 schedule linked',
        ]);
        expect(await listed(scheduleId, 5)).toEqual(expect.arrayContaining(lost.map(([, runId]) => runId)));
        const manual = (await ledger.firings(scheduleId)).find((firing) => firing.kind === 'manual');
        expect(manual).toMatchObject({ actor: 'alice', scheduleVersion: 1 });

        // Asked again it finds nothing.
        await trigger.passes.heartbeat();
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 0, reopened: 0 });
      },
      '2020-03-01T06:00:00Z',
    );
  });

  it('SKIP honours a running chain that was adopted', async () => {
    const scheduleId = await on(original(), async (ledger) => {
      return (await ledger.client.create(schedule('untilFinished'))).scheduleId;
    });
    // A trigger has seen the database before it was lost.
    await on(original(), (ledger) => ledger.trigger());
    const copy = await copyOf(original());
    const [[workflowId, runId]] = (await on(original(), async (ledger) => {
      await fireAt(ledger, DUE);
      return runsOf(ledger, scheduleId);
    })) as [[string, string]];
    await listed(scheduleId, 1);

    await on(
      copy,
      async (ledger) => {
        const trigger = await ledger.trigger();
        await trigger.passes.claim();
        expect(await ledger.answers(scheduleId)).toEqual([]);
        expect(await adoptAll(ledger, trigger)).toMatchObject({ adopted: 1 });
        ledger.clock.advance(1_000);
        await trigger.passes.claim();
        expect((await trigger.passes.verify()).skipped).toHaveLength(1);
        expect(await ledger.answers(scheduleId)).toEqual([
          '03-01T01:00:00 schedule linked',
          '03-01T02:00:00 schedule skipped overlap',
        ]);
        expect(await runsOf(ledger, scheduleId)).toEqual([[workflowId, runId]]);

        await worker().client.workflow.getHandle(workflowId).signal('finish');
        await worker().client.workflow.getHandle(workflowId).result();
        await trigger.passes.observe();
        expect((await ledger.answers(scheduleId))[0]).toBe('03-01T01:00:00 schedule closed completed');
      },
      '2020-03-01T02:00:00Z',
    );
  });

  it('a firing is adopted with its own run, though a child of it has the same memo', async () => {
    await on(original(), async (ledger) => {
      const { scheduleId } = await ledger.client.create(schedule('handsItsMemoOn'));
      const trigger = await fireAt(ledger, DUE);
      const [[workflowId, runId]] = (await runsOf(ledger, scheduleId)) as [[string, string]];
      const client = worker().client.workflow;
      await vi.waitFor(async () => {
        const runs: string[] = [];
        for await (const run of client.list({ query: `WorkflowId = 'of-${workflowId}'` })) runs.push(run.runId);
        expect(runs).toHaveLength(1);
      }, 60_000);
      await ledger.query('delete from escapement.firings');
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
      expect(await runsOf(ledger, scheduleId)).toEqual([[workflowId, runId]]);
      for (const id of [`of-${workflowId}`, workflowId]) await client.getHandle(id).signal('finish');
    });
  });

  it.each([true, false])(
    'nothing is skipped and no gap is written while Temporal cannot be asked (since before the trigger began: %s)',
    async (isAway) => {
      const scheduleId = await on(original(), async (ledger) => {
        const handle = await ledger.client.create(
          schedule('echoFiring', { policies: { overlap: 'ALLOW_ALL', catchupLimit: 1 } }),
        );
        await fireAt(ledger, DUE);
        return handle.scheduleId;
      });
      const copy = await copyOf(original());
      const proxy = await proxyOf(inject('temporalAddress'));
      await on(
        copy,
        async (ledger) => {
          const options: Partial<TunedTriggerOptions> = { connection: { address: proxy.address, connectTimeout: 500 } };
          if (isAway) proxy.cut();
          const trigger = await ledger.trigger(options);
          proxy.cut();
          // After its first pass, and after a question without an answer.
          expect(await trigger.passes.claim()).toMatchObject({ due: 0, complete: false });
          expect(await trigger.passes.adopt()).toMatchObject({ complete: false });
          await trigger.passes.claim();
          expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);

          // Another trigger claims meanwhile, and this one is replaced. Its last known heartbeat still counts.
          await ledger.client.getHandle(scheduleId).trigger();
          proxy.restore();
          const next = await ledger.trigger();
          expect(
            await ledger.query(`select value #>> '{}' as at from escapement.meta where key = 'last_claim_at'`),
          ).toEqual([{ at: expect.stringContaining('2020-03-01T01:00:00') }]);
          await adoptAll(ledger, next);
          // The first one hears of it with its next heartbeat.
          await trigger.passes.heartbeat();
          ledger.clock.advance(6_000);
          await trigger.passes.claim();
          expect((await ledger.answers(scheduleId))[1]).toBe('03-01T02:00:00..03-01T02:00:00 gap 1 over_catchup_limit');
        },
        '2020-03-01T03:00:00Z',
      );
    },
  );

  it.each(['claimed', 'abandoned'] as const)(
    'what the ledger still has as %s is linked with the run that was started since',
    async (state) => {
      const scheduleId = await on(original(), async (ledger) => {
        const handle = await ledger.client.create(
          schedule('echoFiring', { policies: { catchupWindow: '1 hour' }, state: { remainingActions: 5 } }),
        );
        const trigger = await ledger.trigger();
        ledger.clock.set(DUE);
        await trigger.passes.claim();
        if (state === 'claimed') return handle.scheduleId;
        await announceAll(ledger, trigger);
        await handle.pause();
        ledger.clock.advance(31_000);
        expect(await (await ledger.trigger()).passes.reconcile()).toMatchObject({ abandoned: 1 });
        return handle.scheduleId;
      });
      const copy = await copyOf(original());
      const lost = await on(
        original(),
        async (ledger) => {
          const trigger = await ledger.trigger();
          const { deadLetters } = ledger.client;
          for await (const { letterId } of deadLetters.list()) await deadLetters.redrive(letterId);
          await trigger.passes.redrive();
          await trigger.passes.reconcile();
          expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
          return runsOf(ledger, scheduleId);
        },
        '2020-03-01T01:02:00Z',
      );
      await listed(scheduleId, 1);

      await on(
        copy,
        async (ledger) => {
          const trigger = await ledger.trigger();
          await trigger.passes.heartbeat();
          expect(await trigger.passes.reconcile()).toMatchObject({ taken: 0, restarted: 0, abandoned: 0 });
          expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
          expect(await runsOf(ledger, scheduleId)).toEqual(lost);
          const left = await ledger.query('select remaining_actions from escapement.timers');
          expect(left).toEqual([{ remaining_actions: 4 }]);
        },
        '2020-03-01T05:00:00Z',
      );
    },
  );

  it('what the ledger still has as skipped is linked with the run that a person has asked for since', async () => {
    const scheduleId = await on(original(), async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring'));
      const trigger = await ledger.trigger();
      ledger.clock.set(DUE);
      await trigger.passes.claim();
      await handle.pause();
      await handle.unpause();
      expect(await ledger.answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
      return handle.scheduleId;
    });
    const copy = await copyOf(original());
    const lost = await on(
      original(),
      async (ledger) => {
        await ledger.newClient({ identity: 'alice' }).getHandle(scheduleId).runAgain(DUE);
        await fireAt(ledger, '2020-03-01T01:02:00Z');
        return runsOf(ledger, scheduleId);
      },
      '2020-03-01T01:01:00Z',
    );
    await listed(scheduleId, 1);

    await on(
      copy,
      async (ledger) => {
        const trigger = await ledger.trigger();
        await trigger.passes.heartbeat();
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect((await ledger.firings(scheduleId))[0]).toMatchObject({
          state: 'linked',
          kind: 'backfill',
          actor: 'alice',
        });
      },
      '2020-03-01T01:05:00Z',
    );
  });

  it('what a pause has skipped since is linked with its run, which had been started and lost its announcement', async () => {
    const state = { remainingActions: 5 };
    const scheduleId = await on(original(), async (ledger) => {
      const handle = await ledger.client.create(schedule('echoFiring', { state }));
      const trigger = await ledger.trigger();
      ledger.clock.set(DUE);
      await trigger.passes.claim();
      return handle.scheduleId;
    });
    const copy = await copyOf(original());
    const lost = await on(
      original(),
      async (ledger) => {
        await fireAt(ledger, '2020-03-01T01:00:01Z');
        return runsOf(ledger, scheduleId);
      },
      '2020-03-01T01:00:01Z',
    );
    await listed(scheduleId, 1);

    await on(
      copy,
      async (ledger) => {
        const handle = ledger.client.getHandle(scheduleId);
        await handle.pause();
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
        expect((await handle.describe()).state).toMatchObject({ remainingActions: 5 });
        const trigger = await ledger.trigger();
        await trigger.passes.heartbeat();
        expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 1, reopened: 0 });
        expect(await runsOf(ledger, scheduleId)).toEqual(lost);
        expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
        expect((await handle.describe()).state).toMatchObject({ remainingActions: 4 });
      },
      '2020-03-01T01:00:05Z',
    );
  });
});
