import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../trigger';
import { someSchedule, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

async function fire(workflowType: string, end: (workflowId: string) => Promise<unknown> = async () => {}) {
  const { scheduleId } = await ledger().client.create(
    someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue: worker().taskQueue } }),
  );
  const trigger: Trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.start();
  const workflowId = `${scheduleId}-workflow-2026-03-01T01:00:00Z`;
  await end(workflowId);
  await worker()
    .client.workflow.getHandle(workflowId)
    .result()
    .catch(() => {});
  ledger().clock.advance(1_000);
  await trigger.passes.observe();
  return { scheduleId, workflowId };
}

const letters = () =>
  ledger().query('select schedule_id, kind, state, reason, workflow_id, failed_step from escapement.dead_letters');

describe('a firing whose chain failed', () => {
  it('becomes one dead letter that names the step, its attempts and its failure', async () => {
    const { scheduleId, workflowId } = await fire('charges');
    expect(await letters()).toEqual([
      {
        schedule_id: scheduleId,
        kind: 'workflow',
        state: 'open',
        reason: 'failed',
        workflow_id: workflowId,
        failed_step: {
          activityType: 'chargeCard',
          activityId: '1',
          attempts: 3,
          retryState: 'MAXIMUM_ATTEMPTS_REACHED',
          failure: { type: 'CardDeclined', message: 'no money' },
        },
      },
    ]);
  });

  it('names the failure where the workflow failed by itself', async () => {
    await fire('alwaysFails');
    expect(await letters()).toMatchObject([
      { reason: 'failed', failed_step: { failure: { type: 'Error', message: 'broken for good' } } },
    ]);
  });
});

it.each(['cancel', 'terminate'] as const)('%s by a person is no dead letter', async (end) => {
  await fire('untilFinished', (workflowId) => worker().client.workflow.getHandle(workflowId)[end]());
  expect(await letters()).toEqual([]);
});
