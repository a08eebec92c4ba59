import { describe, expect, inject, it } from 'vitest';
import type { Trigger } from '../../../trigger';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { refusing } from '../../support/failures/refusing';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

async function fire(
  workflowType: string,
  end: (workflowId: string) => Promise<unknown> = async () => {},
  options: Partial<TunedTriggerOptions> = {},
) {
  const { scheduleId } = await ledger().client.create(
    someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue: worker().taskQueue } }),
  );
  const trigger: Trigger = await ledger().trigger(options);
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  const workflowId = `${scheduleId}-workflow-2026-03-01T01:00:00Z`;
  await end(workflowId);
  await worker()
    .client.workflow.getHandle(workflowId)
    .result()
    .catch(() => {});
  ledger().clock.advance(1_000);
  await trigger.passes.observe();
  return { scheduleId, workflowId, trigger };
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
          runId: expect.any(String),
          eventId: expect.any(Number),
          activityType: 'chargeCard',
          activityId: '1',
          attempts: 3,
          retryState: 'MAXIMUM_ATTEMPTS_REACHED',
          failure: { type: 'CardDeclined', message: 'no money' },
        },
      },
    ]);
  });

  it('names the child in which it failed, without attempts of its own step of that number', async () => {
    const { workflowId } = await fire('chargesInChild');
    const [letter] = await letters();
    expect(letter!.failed_step).toEqual({
      ...{ runId: expect.any(String), eventId: expect.any(Number), activityType: 'chargeCard', activityId: '1' },
      retryState: 'MAXIMUM_ATTEMPTS_REACHED',
      childWorkflow: { workflowType: 'charges', workflowId: `${workflowId}-child` },
      failure: { type: 'CardDeclined', message: 'no money' },
    });
  });

  it('is said at warn, with its letter', async () => {
    const { scheduleId, workflowId } = await fire('alwaysFails');
    const [letter] = await ledger().query('select letter_id from escapement.dead_letters');
    const said = ledger().log.lines.filter(({ message }) => message === 'dead letter');
    expect(said).toMatchObject([
      {
        level: 'warn',
        meta: { letterId: letter!.letter_id, scheduleId, workflowId, kind: 'workflow', reason: 'failed' },
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

it('a failure whose text Postgres does not take is kept as well as it can be', async () => {
  const { scheduleId } = await fire('failsOddly');
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule closed failed']);
  const message = `a\uFFFDb${'x'.repeat(996)}\uFFFD`;
  expect(await letters()).toMatchObject([{ failed_step: { failure: { message } } }]);
});

it('an end whose history may not be read is recorded without its step, when it has waited for long enough', async () => {
  const PERMISSION_DENIED = 7;
  const isHistory = (method: string) => method.startsWith('GetWorkflowExecutionHistory');
  const connection = refusing(inject('temporalAddress'), PERMISSION_DENIED, isHistory);
  const { scheduleId, trigger } = await fire('alwaysFails', async () => {}, { connection });
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  ledger().clock.set(new Date().toISOString());
  expect(await trigger.passes.observe()).toMatchObject({ closed: 0, unanswered: 1 });
  ledger().clock.advance(11 * 60_000);
  expect(await trigger.passes.observe()).toMatchObject({ closed: 1, unanswered: 0 });
  expect(await letters()).toMatchObject([{ kind: 'workflow', reason: 'failed', failed_step: null }]);
});

it.each(['cancel', 'terminate'] as const)('%s by a person is no dead letter', async (end) => {
  await fire('untilFinished', (workflowId) => worker().client.workflow.getHandle(workflowId)[end]());
  expect(await letters()).toEqual([]);
});
