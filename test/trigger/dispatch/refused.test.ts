import { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { describe, expect, it, vi } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');

const worker = useWorker();

const DUE = '2026-03-01T01:00:00Z';

const action = () => ({ type: 'startWorkflow' as const, workflowType: 'echoFiring', taskQueue: worker().taskQueue });

describe('a start that Temporal refuses', () => {
  it('counts as an attempt, and after three of them the firing is abandoned with the reason', async () => {
    // Which attributes a namespace has only its server knows.
    const searchAttributes = { NoSuchAttribute: ['x'] };
    const handle = await ledger().client.create(someSchedule({ action: { ...action(), searchAttributes } }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 0, deferred: 0, refused: 1 });
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await ledger().firings(handle.scheduleId))[0]).toMatchObject({
        state: 'claimed',
        startAttempts: attempt,
      });
      ledger().clock.advance(2_000);
      expect(await trigger.passes.reconcile()).toMatchObject({ restarted: attempt < 3 ? 1 : 0 });
    }
    // No earlier call may still turn out to have landed.
    ledger().clock.advance(20_000);
    expect(await trigger.passes.reconcile()).toMatchObject({ abandoned: 1 });
    const [firing] = await ledger().firings(handle.scheduleId);
    expect(firing).toMatchObject({
      state: 'abandoned',
      reason: 'start_rejected',
      lastError: expect.stringContaining('search attribute NoSuchAttribute'),
    });
    // Each line says whose it is, and where.
    const { taskQueue } = action();
    const where = { scheduleId: handle.scheduleId, namespace: 'default', taskQueue };
    const said = ledger().log.lines.filter(({ message }) => ['start refused', 'abandoned'].includes(message));
    expect(said).toMatchObject([
      ...[1, 2, 3].map(() => ({ level: 'warn', message: 'start refused', meta: where })),
      { level: 'error', message: 'abandoned', meta: { ...where, reason: 'start_rejected' } },
    ]);
  });

  it('because a stranger holds the workflow ID is abandoned, and the stranger is left alone', async () => {
    const { client: temporal, taskQueue } = worker();
    const handle = await ledger().client.create(someSchedule({ action: action() }));
    const workflowId = `${handle.scheduleId}-workflow-${DUE}`;
    const stranger = await temporal.workflow.start('echoFiring', { workflowId, taskQueue });
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ refused: 1 });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule abandoned workflow_id_taken']);
    expect(await stranger.result()).not.toHaveProperty('firing');
  });

  it('because its own chain, which nobody has linked, goes on as new with another memo is linked', async () => {
    const continues = { ...action(), workflowType: 'continuesWithMemo' };
    const handle = await ledger().client.create(someSchedule({ action: continues }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    const execution = worker().client.workflow.getHandle(`${handle.scheduleId}-workflow-${DUE}`);
    await expect.poll(async () => (await execution.describe()).memo, { timeout: 60_000 }).toEqual({ own: true });
    // As a process leaves the row that dies between the start and its link.
    const { runId } = (await ledger().firings(handle.scheduleId))[0]!;
    await ledger().query(`update escapement.firings set state = 'claimed', run_id = null, linked_at = null, owner = null,
      check_at = '2026-03-01T01:00Z'`);
    const other = await ledger().trigger();
    expect(await other.passes.reconcile()).toMatchObject({ restarted: 1 });
    expect(await ledger().firings(handle.scheduleId)).toMatchObject([{ state: 'linked', runId }]);
    await execution.terminate();
  });

  it('because another ledger’s schedule of the same name did it is abandoned, not taken for its own', async () => {
    const options = someSchedule({ action: action() });
    await ledger().client.create(options);
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();

    // What a second database would be, with a schedule of this name in the same namespace.
    await ledger().query(
      `update escapement.meta set value = to_jsonb(gen_random_uuid()::text) where key = 'installation'`,
    );
    await ledger().query(`update escapement.firings set state = 'claimed', run_id = null, check_at = '2020-01-01'`);
    const other = await ledger().trigger();
    await other.passes.reconcile();
    expect(await ledger().answers(options.scheduleId)).toEqual(['03-01T01:00:00 schedule abandoned workflow_id_taken']);
  });

  it('for a chain whose memo cannot be read is no harder than any stranger', async () => {
    const handle = await ledger().client.create(someSchedule({ action: action() }));
    const encrypt: PayloadCodec = {
      encode: async (payloads) =>
        payloads.map(() => ({ metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('?') })),
      decode: async (payloads) => payloads,
    };
    const temporal = new Client({
      connection: worker().client.connection,
      dataConverter: { payloadCodecs: [encrypt] },
    });
    await temporal.workflow.start('echoFiring', {
      workflowId: `${handle.scheduleId}-workflow-${DUE}`,
      taskQueue: 'nobody-polls',
      memo: { escapement: { scheduleId: handle.scheduleId } },
    });
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ refused: 1 });
    expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule abandoned workflow_id_taken']);
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
    await vi.waitFor(() => temporal.workflow.getHandle(`${scheduleId}-workflow-${DUE}`).describe(), 60_000);
    await native.delete();

    await ledger().client.create(someSchedule({ scheduleId, action: action() }));
    const trigger = await ledger().trigger();
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule skipped native']);
  });
});
