import { temporal as proto } from '@temporalio/proto';
import { Client } from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { purge } from '../../../owner/purge/purge';
import { isAdoptionDue, NOTHING_HELD } from '../../../trigger/recover/adoption';
import { watchedPool } from '../../support/connections/watched-pool';
import { refusing } from '../../support/failures/refusing';
import { type TestLedger, uniqueName } from '../../support/ledger';
import { ManualClock } from '../../support/ledger-clock';
import { adoptAll, DUE, fireAt, on, runsOf, START, useFailover } from './failed-over';

const { worker, original, schedule, listed } = useFailover();

/** Create a schedule with the ID of an earlier one, after all that has run by Temporal's clock. */
function again(ledger: TestLedger, scheduleId: string) {
  ledger.clock.set(new Date(Date.now() + 60_000).toISOString());
  const policies = { pauseOnFailure: true };
  return ledger.client.create({ ...schedule('alwaysFails', { policies, state: { remainingActions: 5 } }), scheduleId });
}

describe('the daily check of what Temporal knows', () => {
  it('links a closed firing again whose chain was reopened', async () => {
    await on(original(), async (ledger) => {
      const { client } = worker();
      const { scheduleId } = await ledger.client.create(schedule('untilFinished'));
      const trigger = await fireAt(ledger, DUE);
      const [[workflowId, runId]] = (await runsOf(ledger, scheduleId)) as [[string, string]];
      const execution = client.workflow.getHandle(workflowId);
      // A signal before the first workflow task has ended would be part of what the reset keeps.
      await vi.waitFor(
        async () => expect((await execution.describe()).historyLength).toBeGreaterThanOrEqual(4),
        60_000,
      );
      await execution.signal('finish');
      await execution.result();
      ledger.clock.advance(1_000);
      await trigger.passes.observe();
      expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed completed']);
      await client.workflowService.resetWorkflowExecution({
        namespace: worker().namespace,
        workflowExecution: { workflowId, runId },
        // A Long of its own kind, which plain numbers are taken for.
        workflowTaskFinishEventId: 4 as never,
        resetReapplyType: proto.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_NONE,
        requestId: uniqueName('reset'),
        reason: 'test',
      });
      await listed(scheduleId, 2);
      expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 0, reopened: 1 });
      expect(await ledger.answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
      expect(await adoptAll(ledger, trigger)).toMatchObject({ reopened: 0 });
    });
  });

  it('takes a workflow that began before its schedule, by another clock, for one of the first version', async () => {
    await on(original(), async (ledger) => {
      const handle = await ledger.client.create(schedule('untilFinished'));
      const trigger = await fireAt(ledger, DUE);
      await listed(handle.scheduleId, 1);
      await ledger.query('delete from escapement.firings');
      await handle.trigger({ args: ['of a person'] });
      await ledger.query(`update escapement.schedule_versions set created_at = now() + interval '1 hour'`);
      expect(await adoptAll(ledger, trigger)).toMatchObject({ adopted: 1 });
      expect(await ledger.query(`select schedule_version from escapement.firings where kind = 'schedule'`)).toEqual([
        { schedule_version: 1 },
      ]);
    });
  });

  it('leaves the runs of an erased schedule alone: a later one of its name neither counts them nor is paused by them', async () => {
    await on(original(), async (ledger) => {
      const { scheduleId } = await ledger.client.create(schedule('alwaysFails'));
      const trigger = await fireAt(ledger, DUE);
      await listed(scheduleId, 1);
      const options = { actor: 'test', force: true, onProgress: () => undefined };
      await purge({ connectionString: ledger.databaseUrl }, { scheduleId }, options);
      const successor = await again(ledger, scheduleId);
      expect(await adoptAll(ledger, trigger)).toEqual({ adopted: 0, reopened: 0 });
      expect(await ledger.answers(scheduleId)).toEqual([]);
      expect((await successor.describe()).state).toEqual({ paused: false, remainingActions: 5 });
    });
  });

  it('takes a run that a deleted schedule has left, and no action of the one that was made again', async () => {
    await on(original(), async (ledger) => {
      const former = await ledger.client.create(schedule('alwaysFails'));
      const trigger = await fireAt(ledger, DUE);
      await listed(former.scheduleId, 1);
      await ledger.query('delete from escapement.firings');
      await former.delete();
      const successor = await again(ledger, former.scheduleId);
      expect(await adoptAll(ledger, trigger)).toMatchObject({ adopted: 1 });
      await expect(
        worker().client.workflow.getHandle(`${former.scheduleId}-workflow-${DUE}`).result(),
      ).rejects.toThrow();
      await trigger.passes.observe();
      expect(await ledger.answers(former.scheduleId)).toContain('03-01T01:00:00 schedule closed failed');
      expect((await successor.describe()).state).toEqual({ paused: false, remainingActions: 5 });
    });
  });

  it('takes what it can though somebody keeps a schedule locked, and that one afterwards', async () => {
    await on(original(), async (ledger) => {
      const some = [
        await ledger.client.create(schedule('untilFinished')),
        await ledger.client.create(schedule('untilFinished')),
      ];
      const [kept, free] = some.map(({ scheduleId }) => scheduleId) as [string, string];
      const trigger = await fireAt(ledger, DUE);
      for (const scheduleId of [kept, free]) await listed(scheduleId, 1);
      await ledger.query('delete from escapement.firings');
      const holder = new Client({ connectionString: ledger.databaseUrl });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept]);
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1 });
      expect(await ledger.answers(free)).toEqual(['03-01T01:00:00 schedule linked']);
      await holder.query('rollback');
      await holder.end();
      ledger.clock.advance(2_000);
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: true });
    });
  });

  it('adopts many lost firings of one schedule in one pass, which do not keep it locked from each other', async () => {
    await on(original(), async (ledger) => {
      const options = schedule('untilFinished', { policies: { overlap: 'ALLOW_ALL' } });
      const { scheduleId } = await ledger.client.create(options);
      const hours = ['01', '02', '03', '04', '05', '06', '07', '08'].map((hour) => `2020-03-01T${hour}:00:00Z`);
      await fireAt(ledger, ...hours);
      await listed(scheduleId, hours.length);
      await ledger.query('delete from escapement.firings');
      const trigger = await ledger.trigger();
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toEqual({ adopted: hours.length, reopened: 0, complete: true });
      expect(await ledger.firings(scheduleId)).toHaveLength(hours.length);
    });
  });

  it('is taken by one trigger, page by page, and gone on with by another where that one died', async () => {
    await on(original(), async (ledger) => {
      const options = schedule('untilFinished', { policies: { overlap: 'ALLOW_ALL' } });
      const { scheduleId } = await ledger.client.create(options);
      const hours = ['01', '02', '03', '04', '05'].map((hour) => `2020-03-01T${hour}:00:00Z`);
      await fireAt(ledger, ...hours);
      await listed(scheduleId, 5);
      await ledger.query('delete from escapement.firings');

      let pages = 0;
      const connection = refusing(inject('temporalAddress'), 0, (method) => {
        if (method === 'ListWorkflowExecutions') pages += 1;
        return false;
      });
      // Pages follow each other at once: of the namespace are all runs of this file.
      const limits = { batchSize: 2, listPagePauseMilliseconds: 0 };
      // The trigger dies before it has recorded that its second batch is done.
      let places = 0;
      const before = (text: string) => {
        if (text.includes('jsonb_set') && ++places === 2) throw new Error('killed');
      };
      const dying = await ledger.trigger({ connection, limits, pool: watchedPool(ledger, { before }) });
      const other = await ledger.trigger({ connection, limits });
      await dying.passes.heartbeat();
      await expect(dying.passes.adopt()).rejects.toThrow('killed');
      expect(pages).toBe(2);

      expect(await other.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: false });
      expect(pages).toBe(2);
      ledger.clock.advance(11_000);
      await other.passes.heartbeat();
      expect(await other.passes.adopt()).toMatchObject({ complete: true });
      expect(await ledger.firings(scheduleId)).toHaveLength(5);
      const goneOn = pages - 2;

      // The next one begins again.
      expect(await other.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: true });
      expect(pages - 2 - goneOn).toBe(goneOn + 1);
    });
  });

  it('goes on with the page on which a schedule was locked, where the trigger that left it died', async () => {
    await on(original(), async (ledger) => {
      const options = schedule('untilFinished', { policies: { overlap: 'ALLOW_ALL' } });
      const { scheduleId } = await ledger.client.create(options);
      await fireAt(ledger, ...['01', '02', '03'].map((hour) => `2020-03-01T${hour}:00:00Z`));
      await listed(scheduleId, 3);
      await ledger.query('delete from escapement.firings');
      const limits = { batchSize: 1, listPagePauseMilliseconds: 0 };
      // The trigger dies at its second batch. On the first one, another session holds the lock of the schedule.
      let locks = 0;
      const before = (text: string) => {
        if (text.includes('timers') && text.includes('for no key update skip locked') && ++locks === 2) {
          throw new Error('killed');
        }
      };
      const dying = await ledger.trigger({ limits, pool: watchedPool(ledger, { before }) });
      const other = await ledger.trigger({ limits });
      await dying.passes.heartbeat();
      const holder = new Client({ connectionString: ledger.databaseUrl });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
      await expect(dying.passes.adopt()).rejects.toThrow('killed');
      await holder.query('rollback');
      await holder.end();

      ledger.clock.advance(11_000);
      await other.passes.heartbeat();
      expect(await other.passes.adopt()).toMatchObject({ adopted: 3, complete: true });
    });
  });

  it('is due once a day, once more after a failover, and at once after one', () => {
    const clock = new ManualClock(START);
    const adoption = {
      about: '',
      held: NOTHING_HELD,
      done: new Set<string>(),
      complaints: new Map(),
      unlisted: new Map(),
      adoptedAt: new Date(START),
      again: undefined,
    };
    const due = (changed: object = {}) => isAdoptionDue({ adoption, clock, ...changed });
    expect(due()).toBe(false);
    expect(due({ adoption: { ...adoption, held: 'all' } })).toBe(true);
    const again = { since: new Date(START), at: Date.parse(START) + 60_000 };
    expect(due({ adoption: { ...adoption, again } })).toBe(false);
    clock.advance(60_000);
    expect(due({ adoption: { ...adoption, again } })).toBe(true);
    expect(due()).toBe(false);
    clock.advance(86_400_000);
    expect(due()).toBe(true);
  });

  it('is not taken on a ledger that is new, so that a first start asks nothing', async () => {
    await on(original(), async (ledger) => {
      const trigger = await ledger.trigger();
      await ledger.client.create(schedule('echoFiring', { policies: { catchupLimit: 0 } }));
      ledger.clock.set('2020-03-01T02:30:00Z');
      expect((await trigger.passes.claim()).gaps).toHaveLength(1);
      await trigger.passes.heartbeat();
      expect(ledger.log.messages()).not.toContain('the database was replaced: a failover?');
    });
  });
});
