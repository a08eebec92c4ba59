import type { RetryPolicy } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();
const DUE = '2026-03-01T01:00:00Z';

/** An hourly schedule of a workflow of the test worker, claimed and started at an instant after its first occurrence. */
async function fired(action: { workflowType: string; args?: unknown[]; retry?: RetryPolicy }, at = DUE) {
  const { taskQueue, client: temporal } = worker();
  const handle = await ledger().client.create(
    someSchedule({ action: { type: 'startWorkflow', taskQueue, ...action } }),
  );
  const trigger = await ledger().trigger();
  ledger().clock.set(at);
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const [firing] = await ledger().firings(handle.scheduleId);
  return { handle, trigger, firing: firing!, execution: temporal.workflow.getHandle(firing!.workflowId!) };
}

describe('the path of a firing on a real Temporal server', () => {
  it('starts one workflow for an occurrence, hands it its firing and records how it ended', async () => {
    const { client, clock } = ledger();
    const { taskQueue, client: temporal } = worker();
    const options = someSchedule({
      spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
      action: { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue, args: ['emea', { deep: [1, null] }] },
    });
    const handle = await client.create(options);
    const trigger = await ledger().trigger();

    expect((await trigger.passes.claim()).claimed).toEqual([]);
    clock.set('2026-03-01T01:00:00Z');
    expect((await trigger.passes.claim()).claimed).toHaveLength(1);
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1, deferred: 0, refused: 0 });

    const workflowId = `${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`;
    const execution = temporal.workflow.getHandle(workflowId);
    const result = await execution.result();
    expect(result).toMatchObject({
      args: ['emea', { deep: [1, null] }],
      firing: {
        scheduleId: handle.scheduleId,
        scheduledTime: '2026-03-01T01:00:00.000Z',
        kind: 'schedule',
        startAttempt: 1,
      },
    });
    expect(await (await execution.describe()).staticSummary()).toBe(
      `${handle.scheduleId} · 2026-03-01 02:00 Europe/Berlin`,
    );

    clock.advance(1_000);
    expect(await trigger.passes.observe()).toMatchObject({
      listed: 0,
      polled: 1,
      closed: 1,
      unanswered: 0,
      more: false,
    });
    const [firing] = await ledger().firings(handle.scheduleId);
    expect(firing).toMatchObject({
      state: 'closed',
      outcome: 'completed',
      workflowId,
      runId: (result as { runId: string }).runId,
    });
  });

  it('logs one structured line per transition', async () => {
    const { clock, log } = ledger();
    const { handle, trigger, execution } = await fired({ workflowType: 'echoFiring' }, '2026-03-01T01:00:02Z');
    const workflowId = `${handle.scheduleId}-workflow-2026-03-01T01:00:00Z`;
    await execution.result();
    clock.advance(1_000);
    await trigger.passes.observe();

    const key = { scheduleId: handle.scheduleId, scheduledTime: '2026-03-01T01:00:00.000Z', workflowId };
    expect(log.lines.filter((line) => line.meta.scheduleId === handle.scheduleId)).toMatchObject([
      { message: 'claimed', meta: { ...key, milliseconds: 2_000 } },
      { message: 'linked', meta: { ...key, startAttempt: 1, runId: expect.any(String), milliseconds: 0 } },
      { message: 'closed', meta: { ...key, outcome: 'completed', milliseconds: expect.any(Number) } },
    ]);
  });

  it('returns the same run when a start is called again after the workflow has closed', async () => {
    const { handle, trigger, firing: linked, execution } = await fired({ workflowType: 'echoFiring' });
    await execution.result();

    // As a crash between start and link leaves it.
    await ledger().query(
      "update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = '2026-03-01Z'",
    );
    expect((await trigger.passes.reconcile()).restarted).toBe(1);
    const [again] = await ledger().firings(handle.scheduleId);
    expect(again).toMatchObject({ state: 'linked', runId: linked.runId });
  });

  it.each([
    ['a workflow that fails and is retried', 'failsTwice', []],
    ['a workflow that continues as new', 'continues', [3]],
  ])('follows the chain of %s to its end', async (_, workflowType, args) => {
    const retry = { initialInterval: '10ms', maximumAttempts: 3 } as const;
    const { handle, trigger, firing, execution } = await fired({ workflowType, args, retry });
    expect(await execution.result()).toBe(handle.scheduleId);
    ledger().clock.advance(1_000);
    await trigger.passes.observe();

    const [closed] = await ledger().firings(handle.scheduleId);
    expect(closed).toMatchObject({ state: 'closed', outcome: 'completed', runId: firing.runId });
    expect((await execution.describe()).runId).not.toBe(firing.runId);
  });

  it.each([
    ['failed', 'alwaysFails'],
    ['canceled', 'untilFinished'],
    ['terminated', 'untilFinished'],
  ])('records a chain that %s as just that', async (outcome, workflowType) => {
    const { handle, trigger, execution } = await fired({ workflowType });
    if (outcome === 'canceled') await execution.cancel();
    if (outcome === 'terminated') await execution.terminate();
    await expect(execution.result()).rejects.toThrow();
    ledger().clock.advance(1_000);
    await trigger.passes.observe();
    expect(await ledger().answers(handle.scheduleId)).toEqual([`03-01T01:00:00 schedule closed ${outcome}`]);
  });

  it('closes as unknown what Temporal has forgotten, whatever its name', async () => {
    const { client, clock } = ledger();
    const scheduleId = uniqueName('Namespace x is not found');
    await client.create(someSchedule({ scheduleId }));
    const trigger = await ledger().trigger();
    clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    await ledger().query(`update escapement.firings set workflow_id = workflow_id || ' of long ago'`);
    clock.advance(1_000);
    await trigger.passes.observe();
    expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed unknown']);
  });
});
