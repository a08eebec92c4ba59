import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { finish } from '../../support/workers/workflows';
import { useStarted } from './started';

const { ledger, worker, started } = useStarted();

describe('a chain that a person resets after its end', () => {
  async function resetTo(execution: { workflowId: string }, workflowTaskFinishEventId: number) {
    const { client } = worker();
    const { runId } = await client.workflow.getHandle(execution.workflowId).describe();
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: execution.workflowId, runId },
      workflowTaskFinishEventId: workflowTaskFinishEventId as never,
      requestId: randomUUID(),
      reason: 'mended',
    });
  }

  /** Only from a workflow task that has ended can a chain be reset. */
  const firstTaskDone = (execution: { describe(): Promise<{ historyLength: number }> }) =>
    expect.poll(async () => (await execution.describe()).historyLength).toBeGreaterThanOrEqual(4);

  it('opens its firing again, which closes as the chain really ends', async () => {
    const { execution, observe, trigger, firing } = await started('untilFinished');
    await firstTaskDone(execution);
    await execution.terminate();
    const closed = await observe();
    expect(closed).toMatchObject({ state: 'closed', outcome: 'terminated' });
    await resetTo(execution, 4);
    ledger().clock.advance(60_000);
    expect(await trigger.passes.reset()).toMatchObject({ polled: 1, reopened: 1 });
    expect(await firing()).toMatchObject({ state: 'linked', outcome: null, closedAt: null, runId: closed.runId });
    await execution.signal(finish);
    await execution.result();
    expect(await observe()).toMatchObject({ state: 'closed', outcome: 'completed', runId: closed.runId });
  });

  it('and that has ended again before anybody polled closes with its last outcome', async () => {
    const { execution, observe, trigger, firing } = await started('untilFinished');
    await firstTaskDone(execution);
    await execution.terminate();
    await observe();
    await resetTo(execution, 4);
    await execution.cancel();
    await execution.result().catch(() => {});
    ledger().clock.advance(60_000);
    await trigger.passes.reset();
    expect(await firing()).toMatchObject({ state: 'closed', outcome: 'canceled' });
  });

  it('opens its firing again beside one whose schedule somebody keeps locked, and that one as soon as it is free', async () => {
    const kept = await started('untilFinished');
    ledger().clock.set('2026-03-01T00:30:00Z');
    const free = await started('untilFinished');
    for (const { execution } of [kept, free]) {
      await firstTaskDone(execution);
      await execution.terminate();
    }
    ledger().clock.advance(60_000);
    expect(await free.trigger.passes.observe()).toMatchObject({ closed: 2 });
    for (const { execution } of [kept, free]) await resetTo(execution, 4);
    const holder = new Client({ connectionString: ledger().databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [kept.handle.scheduleId]);
    // So long ago that it is polled once an hour.
    await ledger().query('update escapement.firings set closed_at = $1', ['2026-03-01T01:00:00Z']);
    ledger().clock.advance(86_400_000);
    expect(await free.trigger.passes.reset()).toMatchObject({ polled: 2, reopened: 1 });
    expect(await free.firing()).toMatchObject({ state: 'linked' });
    expect(await kept.firing()).toMatchObject({ state: 'closed' });

    await holder.query('rollback');
    await holder.end();
    ledger().clock.advance(60_000);
    expect(await free.trigger.passes.reset()).toMatchObject({ polled: 1, reopened: 1 });
    expect(await kept.firing()).toMatchObject({ state: 'linked' });
  });

  it('is watched less and less often, and for a week', async () => {
    const { execution, observe, trigger } = await started('untilFinished');
    await execution.terminate();
    await observe();
    // Temporal's clock, by which the chain ended, is not the ledger's here.
    const endedAt = ledger().clock.now();
    await ledger().query(`update escapement.firings set closed_at = $1, workflow_id = 'forgotten'`, [
      new Date(endedAt),
    ]);
    const polls: number[] = [];
    for (let pass = 1; pass <= 8 * 24 * 2; pass++) {
      ledger().clock.advance(30 * 60_000);
      if ((await trigger.passes.reset()).polled > 0) polls.push((ledger().clock.now() - endedAt) / 3_600_000);
    }
    expect(polls.slice(0, 4)).toEqual([0.5, 1, 2, 3]);
    expect(polls.at(-1)).toBe(7 * 24);
  });
});

it('a chain that ended while a server without its namespace was asked closes with its real outcome', async () => {
  const { execution, trigger, firing } = await started('untilFinished');
  await ledger().query(`update escapement.firings set namespace = 'elsewhere'`);
  await execution.terminate();
  for (let hour = 0; hour < 4; hour++) {
    ledger().clock.advance(3_600_000);
    await trigger.passes.observe();
    await trigger.passes.reconcile();
  }
  expect(await firing()).toMatchObject({ state: 'closed', outcome: 'unknown' });
  // After the end, by Temporal's clock.
  await ledger().query(`update escapement.firings set namespace = 'default', closed_at = now() + interval '1 hour'`);
  ledger().clock.advance(3_600_000);
  await trigger.passes.reset();
  expect(await firing()).toMatchObject({ state: 'closed', outcome: 'terminated' });
});
