import { describe, expect, it } from 'vitest';
import { previousOf } from '../../../trigger/dispatch/previous';
import type { CurrentFiring } from '../../../workflows';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

const at = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00Z`;
/** A result is plain JSON. */
type Echo = { firing: CurrentFiring };

/** Let hours come: each is claimed, started, awaited by Temporal's client, and observed. */
async function liveThrough(workflowType: string, hours: number[], scheduleId = uniqueName('schedule')) {
  const { client: temporal, taskQueue } = worker();
  const action = { type: 'startWorkflow' as const, workflowType, taskQueue };
  const handle = ledger().client.getHandle(scheduleId);
  await ledger()
    .client.create(someSchedule({ scheduleId, action }))
    .catch(() => handle.update((previous) => ({ ...previous, action })));
  const trigger = await ledger().trigger();
  for (const hour of hours) {
    ledger().clock.set(at(hour));
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    await temporal.workflow
      .getHandle(`${scheduleId}-workflow-${at(hour)}`)
      .result()
      .catch(() => undefined);
    ledger().clock.advance(2_000);
    await trigger.passes.observe();
  }
  return scheduleId;
}

async function firingOf(scheduleId: string, hour: number): Promise<CurrentFiring> {
  const result = await worker()
    .client.workflow.getHandle(`${scheduleId}-workflow-${at(hour)}`)
    .result();
  return (result as Echo).firing;
}

describe('currentFiring().previous', () => {
  it('is nothing for the first firing, and then the one before with its outcome and its run', async () => {
    const scheduleId = await liveThrough('echoFiring', [1, 2]);
    expect(await firingOf(scheduleId, 1)).not.toHaveProperty('previous');
    const [, first] = await ledger().firings(scheduleId);
    const chain = {
      scheduledTime: '2026-03-01T01:00:00.000Z',
      workflowId: `${scheduleId}-workflow-${at(1)}`,
      runId: first!.runId,
      closedAt: first!.closedAt!.toISOString(),
    };
    expect((await firingOf(scheduleId, 2)).previous).toEqual({ ...chain, outcome: 'completed', completed: chain });
  });

  it('tells what the one before failed with, and which one completed last', async () => {
    const scheduleId = await liveThrough('echoFiring', [1]);
    await liveThrough('alwaysFails', [2], scheduleId);
    await liveThrough('echoFiring', [3], scheduleId);
    expect((await firingOf(scheduleId, 3)).previous).toMatchObject({
      scheduledTime: '2026-03-01T02:00:00.000Z',
      outcome: 'failed',
      failure: 'broken for good',
      completed: { scheduledTime: '2026-03-01T01:00:00.000Z', workflowId: `${scheduleId}-workflow-${at(1)}` },
    });
  });

  it('leads to the last result, which a handle of the run returns', async () => {
    const scheduleId = await liveThrough('echoFiring', [1, 2]);
    const { workflowId, runId } = (await firingOf(scheduleId, 2)).previous!.completed!;
    const result = await worker().client.workflow.getHandle(workflowId, runId).result();
    expect((result as Echo).firing.scheduledTime).toBe('2026-03-01T01:00:00.000Z');
  });

  it('is not one that still runs, was skipped, or comes later', async () => {
    const scheduleId = await liveThrough('echoFiring', [1, 2]);
    await ledger().query(`update escapement.firings set state = 'skipped', outcome = null, reason = 'overlap'
      where scheduled_time = '2026-03-01T02:00:00Z'`);
    await liveThrough('echoFiring', [3], scheduleId);
    const { previous } = await firingOf(scheduleId, 3);
    expect(previous).toMatchObject({ scheduledTime: '2026-03-01T01:00:00.000Z' });
  });
});

describe('what a start’s memo says of the firing before', () => {
  const scheduledTime = new Date('2026-03-01T01:00:00Z');
  const closedAt = new Date('2026-03-01T01:05:00Z');
  const chain = { scheduledTime, workflowId: 'nightly', closedAt };
  const inMemo = { ...chain, scheduledTime: scheduledTime.toISOString(), closedAt: closedAt.toISOString() };
  const completed = { ...chain, runId: 'run-0' };

  it('is its outcome, and of its failure the first thousand characters', () => {
    const failed = { ...chain, runId: 'run-1', outcome: 'failed' as const, completed: null };
    const failureOf = (failure: string | null) => previousOf({ ...failed, failure }).failure;
    expect(previousOf({ ...failed, failure: null })).toEqual({ ...inMemo, runId: 'run-1', outcome: 'failed' });
    expect(failureOf('broken')).toBe('broken');
    expect(failureOf('x'.repeat(2_000))).toBe('x'.repeat(1_000));
    // A character of two units is not cut in half.
    expect(failureOf(`${'x'.repeat(999)}😀`)).toBe(`${'x'.repeat(999)}\uFFFD`);
  });

  it('names no run where none is known', () => {
    const previous = { ...chain, runId: null, outcome: 'failed' as const, failure: null, completed };
    expect(previousOf(previous)).toEqual({ ...inMemo, outcome: 'failed', completed: { ...inMemo, runId: 'run-0' } });
  });
});
