import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { refusing, refusingOne } from '../../support/failures/refusing';
import { uniqueName } from '../../support/ledger';
import { adoptAll, copyOf, DUE, fireAt, on, useFailover } from './failed-over';

const { original, schedule, listed } = useFailover();
const INTERNAL = 13;

describe('after a failover that lost transactions', () => {
  it('a schedule that somebody keeps locked waits by itself for its lost firing, and its namespace goes on', async () => {
    await on(original(), async (ledger) => {
      const policies = { overlap: 'ALLOW_ALL' } as const;
      const some = [
        await ledger.client.create(schedule('echoFiring', { policies })),
        await ledger.client.create(schedule('echoFiring', { policies })),
      ];
      const [kept, free] = some.map(({ scheduleId }) => scheduleId) as [string, string];
      const trigger = await fireAt(ledger, DUE);
      for (const scheduleId of [kept, free]) await listed(scheduleId, 1);
      ledger.clock.set('2020-03-01T02:00:00Z');
      await trigger.passes.claim();
      await ledger.query('delete from escapement.firings where scheduled_time = $1', [DUE]);
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(trigger.health().reasons).toContainEqual(
        expect.stringContaining('nothing is claimed until Temporal has reported what it started'),
      );
      const holder = new Client({ connectionString: ledger.databaseUrl });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept]);
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: false });
      expect(trigger.health().reasons.at(-1)).toContain(`1 schedule waits for the rows of lost firings: '${kept}'`);
      expect(ledger.log.lines).toContainEqual({
        level: 'warn',
        message: 'what Temporal has started could not be adopted',
        meta: expect.objectContaining({
          scheduleId: kept,
          heldBy: [expect.stringContaining('idle in transaction')],
        }),
      });
      await holder.query('rollback');
      await holder.end();

      // The lock is free by now, but the row is still missing.
      ledger.clock.set('2020-03-01T03:00:00Z');
      await trigger.passes.claim();
      await trigger.passes.dispatch();
      const linked = ['01', '02', '03'].map((hour) => `03-01T${hour}:00:00 schedule linked`);
      expect(await ledger.answers(free)).toEqual(linked);
      ledger.clock.advance(2_000);
      expect(await trigger.passes.reconcile()).toMatchObject({ taken: 0 });
      expect(await ledger.answers(kept)).toEqual(['03-01T02:00:00 schedule claimed']);

      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: true });
      ledger.clock.advance(6_000);
      await trigger.passes.claim();
      await trigger.passes.dispatch();
      expect(await ledger.answers(kept)).toEqual(linked);
    });
  });

  it('a schedule with a run that Temporal does not describe waits by itself, and its namespace goes on', async () => {
    await on(original(), async (ledger) => {
      const some = [
        await ledger.client.create(schedule('echoFiring')),
        await ledger.client.create(schedule('echoFiring')),
      ];
      const [damaged, free] = some.map(({ scheduleId }) => scheduleId) as [string, string];
      await fireAt(ledger, DUE);
      for (const scheduleId of [damaged, free]) await listed(scheduleId, 1);
      await ledger.query('delete from escapement.firings where scheduled_time = $1', [DUE]);
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      const connection = refusingOne(inject('temporalAddress'), INTERNAL, 'DescribeWorkflowExecution', damaged);
      const trigger = await ledger.trigger({ connection });
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 1, complete: false });
      expect(trigger.health().reasons.at(-1)).toContain(
        `'${damaged}'; somebody keeps them locked, Postgres refuses the rows, or Temporal does not describe the runs`,
      );
      expect(ledger.log.lines).toContainEqual({
        level: 'warn',
        message: 'what Temporal has started could not be adopted',
        meta: expect.objectContaining({ scheduleId: damaged, error: expect.stringMatching(`${damaged}.*refused`) }),
      });
      const other = await ledger.trigger();
      await other.passes.heartbeat();
      expect(await other.passes.adopt()).toMatchObject({ adopted: 1, complete: true });
      expect(await ledger.answers(damaged)).toEqual(['03-01T01:00:00 schedule linked']);
    });
  });

  it('a namespace that is not there holds nothing up', async () => {
    await on(original(), async (ledger) => {
      await ledger.client.create(schedule('echoFiring', { namespace: uniqueName('gone') }));
      await ledger.trigger();
    });
    const copy = await copyOf(original());
    await on(copy, async (ledger) => {
      const trigger = await ledger.trigger();
      expect(await trigger.passes.adopt()).toEqual({ adopted: 0, reopened: 0, complete: true });
    });
  });

  it('a namespace that is not there holds nothing up either where another call has found that out', async () => {
    const namespace = uniqueName('gone');
    await on(original(), async (ledger) => {
      await ledger.client.create(schedule('echoFiring', { namespace }));
      const trigger = await ledger.trigger();
      ledger.clock.set(DUE);
      await trigger.passes.claim();
      expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0 });
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toMatchObject({ complete: true });
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      // It is asked again once its pause is over.
      ledger.clock.advance(5_000);
      expect(await trigger.passes.adopt()).toMatchObject({ complete: true });
    });
  });

  it.each<[string, (method: string) => boolean]>([
    ['its lists', (method) => method === 'ListWorkflowExecutions'],
    ['each call', () => true],
  ])('a namespace waits while a proxy that has lost its route answers %s', async (_, isLost) => {
    await on(original(), async (ledger) => {
      const { scheduleId } = await ledger.client.create(schedule('untilFinished'));
      await fireAt(ledger, DUE);
      await listed(scheduleId, 1);
      await ledger.query('delete from escapement.firings');
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      // As grpc-js reports an HTTP status 404.
      const UNIMPLEMENTED = 12;
      let isAway = false;
      const connection = refusing(inject('temporalAddress'), UNIMPLEMENTED, (method) => isAway && isLost(method));
      const trigger = await ledger.trigger({ connection });
      isAway = true;
      expect(await trigger.passes.adopt()).toMatchObject({ adopted: 0, complete: false });
      isAway = false;
      expect(await adoptAll(ledger, trigger)).toMatchObject({ adopted: 1 });
    });
  });

  it('a namespace whose server is gone holds nothing up where no live schedule has named it since, and nothing waits', async () => {
    const [deleted, moved, late] = [uniqueName('deleted'), uniqueName('moved'), uniqueName('late')];
    const connection = { address: inject('temporalAddress') };
    const dead = { connection: { address: '127.0.0.1:1' } };
    const namespaces = { [deleted]: dead, [moved]: dead, [late]: dead };
    await on(original(), async (ledger) => {
      const moves = async (namespace: string) => {
        const handle = await ledger.client.create(schedule('echoFiring', { namespace }));
        await handle.delete();
        await ledger.client.create(schedule('echoFiring', { scheduleId: handle.scheduleId }));
      };
      await (await ledger.client.create(schedule('echoFiring', { namespace: deleted }))).delete();
      await moves(moved);
      ledger.clock.advance(3_600_000);
      const trigger = await ledger.trigger({ connection, namespaces });
      await trigger.passes.heartbeat();
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      await adoptAll(ledger, trigger);

      // The row of its last start may have been lost just before.
      await moves(late);
      await ledger.query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
      await trigger.passes.heartbeat();
      expect(await trigger.passes.adopt()).toMatchObject({ complete: false });
      expect(ledger.log.messages()).toContain('Temporal does not answer: due firings wait');
    });
  });
});
