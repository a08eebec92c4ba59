import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SchedulePolicies } from '../../../index';
import type { Trigger } from '../../../trigger';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';
import { finish } from '../../support/workers/workflows';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

function runsUntilFinished(policies: SchedulePolicies, action = {}) {
  const { taskQueue } = worker();
  return someSchedule({
    action: { type: 'startWorkflow', workflowType: 'untilFinished', taskQueue, ...action },
    policies,
  });
}

function execution(scheduleId: string, hour: string) {
  return worker().client.workflow.getHandle(`${scheduleId}-workflow-2026-03-01T${hour}:00:00Z`);
}

/** Each pass once, at this instant. */
async function passesAt(trigger: Trigger, instant: string) {
  ledger().clock.set(instant);
  await trigger.passes.claim();
  await trigger.passes.verify();
  await trigger.passes.dispatch();
  await trigger.passes.interrupt();
}

it('TERMINATE_OTHER ends a firing that may overlap and was claimed together with it', async () => {
  const handle = await ledger().client.create(runsUntilFinished({ overlap: 'TERMINATE_OTHER' }));
  const trigger = await ledger().trigger();
  await handle.trigger('ALLOW_ALL');
  for (let look = 0; look < 3; look++) await passesAt(trigger, '2026-03-01T01:00:00Z');
  expect(await ledger().answers(handle.scheduleId)).toEqual([
    '03-01T00:30:00.001 manual closed terminated',
    '03-01T01:00:00 schedule linked',
  ]);
});

it('CANCEL_OTHER counts its ten minutes from when Temporal took the cancel, not from before an outage', async () => {
  const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'CANCEL_OTHER' }));
  const trigger = await ledger().trigger();
  await passesAt(trigger, '2026-03-01T01:00:00Z');
  ledger().clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  await passesAt(trigger, '2026-03-01T02:15:00Z');
  await execution(scheduleId, '01')
    .result()
    .catch(() => {});
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
  await passesAt(trigger, '2026-03-01T02:16:00Z');
  expect(await ledger().answers(scheduleId)).toEqual([
    '03-01T01:00:00 schedule closed canceled',
    '03-01T02:00:00 schedule linked',
  ]);
});

it('interrupts of a namespace that is gone do not keep the others from their turn', async () => {
  const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'TERMINATE_OTHER' }));
  const trigger = await ledger().trigger({ limits: { batchSize: 1 } });
  await passesAt(trigger, '2026-03-01T01:00:00Z');
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version,
      workflow_id, run_id, claimed_at, interrupt, interrupt_at)
    select schedule_id, scheduled_time - interval '1 hour', 'linked', kind, 'gone', 1, 'gone', gen_random_uuid()::text,
      claimed_at, 'cancel', claimed_at from escapement.firings`);
  await passesAt(trigger, '2026-03-01T02:00:00Z');
  expect((await ledger().answers(scheduleId))[1]).toBe('03-01T01:00:00 schedule closed terminated');
});

describe('a chain that was ended and that a person resets', () => {
  /** Only from a workflow task that has ended can a chain be reset. */
  async function firstTaskDone(scheduleId: string, hour: string) {
    const chain = execution(scheduleId, hour);
    await expect.poll(async () => (await chain.describe()).historyLength).toBeGreaterThanOrEqual(4);
  }

  async function reset(scheduleId: string, hour: string) {
    const chain = execution(scheduleId, hour);
    const { workflowId } = chain;
    const { runId } = await chain.describe();
    await worker().client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: 4 as never,
      requestId: randomUUID(),
      reason: 'mended',
    });
  }

  it('has its whole soft time limit again, from when the ledger sees that it runs', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({}, { softTimeout: '30 minutes' }));
    const trigger = await ledger().trigger();
    await passesAt(trigger, '2026-03-01T01:00:00Z');
    await firstTaskDone(scheduleId, '01');
    await execution(scheduleId, '01').terminate();
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    await reset(scheduleId, '01');
    ledger().clock.set('2026-03-01T01:40:00Z');
    expect(await trigger.passes.reset()).toMatchObject({ reopened: 1 });
    ledger().clock.set('2026-03-01T02:09:59Z');
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 0 });
    ledger().clock.set('2026-03-01T02:10:00Z');
    expect(await trigger.passes.interrupt()).toMatchObject({ sent: 1 });
  });

  it('is ended again when another firing wants its place', async () => {
    const { scheduleId } = await ledger().client.create(runsUntilFinished({ overlap: 'TERMINATE_OTHER' }));
    const trigger = await ledger().trigger();
    await passesAt(trigger, '2026-03-01T01:00:00Z');
    await firstTaskDone(scheduleId, '01');
    await passesAt(trigger, '2026-03-01T02:00:00Z');
    await passesAt(trigger, '2026-03-01T02:00:01Z');
    await execution(scheduleId, '02').signal(finish);
    await execution(scheduleId, '02').result();
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    await reset(scheduleId, '01');
    ledger().clock.advance(60_000);
    expect(await trigger.passes.reset()).toMatchObject({ reopened: 1 });
    await passesAt(trigger, '2026-03-01T03:00:00Z');
    await passesAt(trigger, '2026-03-01T03:00:01Z');
    expect(await ledger().answers(scheduleId)).toEqual([
      '03-01T01:00:00 schedule closed terminated',
      '03-01T02:00:00 schedule closed completed',
      '03-01T03:00:00 schedule linked',
    ]);
  });
});
