import { ApplicationFailure } from '@temporalio/common';
import { expect, vi } from 'vitest';
import type { DeadLetter } from '../../../index';
import type { Trigger } from '../../../trigger';
import { useDeployments } from '../../support/deployment/deployments';
import { someSchedule, useLedger } from '../../support/ledger';
import type { Steps } from '../../support/workers/workflows';

export const DUE = '2026-03-01T01:00:00Z';

/** Firings of which a step has failed, and their letters. */
export function useFailedFirings() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  const deployments = useDeployments();

  /** Counts how often each step ran; the deployments differ in the broken step. */
  function steps() {
    const done = { pack: 0, chargeCard: 0, mail: 0 };
    const broken: Steps = {
      pack: async () => `parcel ${++done.pack}`,
      mail: async () => void done.mail++,
      chargeCard: async () => {
        throw ApplicationFailure.create({ type: 'CardDeclined', message: 'no money' });
      },
    };
    return { done, broken, fixed: { ...broken, chargeCard: async () => void done.chargeCard++ } };
  }

  /** Let the first firing of a schedule fail. */
  async function failed(trigger: Trigger, workflowType = 'fulfils', args: unknown[] = []) {
    const { taskQueue } = deployments();
    const { scheduleId } = await ledger().client.create(
      someSchedule({ action: { type: 'startWorkflow', workflowType, taskQueue, args } }),
    );
    ledger().clock.set(DUE);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    const workflowId = `${scheduleId}-workflow-${DUE}`;
    await observeEnd(trigger, workflowId);
    return { scheduleId, workflowId, letter: await onlyLetter() };
  }

  async function observeEnd(trigger: Trigger, workflowId: string) {
    await deployments()
      .client.workflow.getHandle(workflowId)
      .result()
      .catch(() => {});
    ledger().clock.advance(1_000);
    await trigger.passes.observe();
  }

  async function onlyLetter(): Promise<DeadLetter> {
    const letters: DeadLetter[] = [];
    for await (const letter of ledger().client.deadLetters.list()) letters.push(letter);
    expect(letters).toHaveLength(1);
    return letters[0]!;
  }

  const firing = async (scheduleId: string) => (await ledger().firings(scheduleId))[0]!;

  const redrive = (letter: DeadLetter, options = {}) => ledger().client.deadLetters.redrive(letter.letterId, options);

  const answer = async (scheduleId: string) => (await ledger().answers(scheduleId))[0];

  /** Every run that Temporal has under a workflow ID, once each of these is listed. */
  async function runsOf(workflowId: string, count: number): Promise<string[]> {
    const { workflow } = deployments().client;
    return vi.waitFor(async () => {
      const runs: string[] = [];
      for await (const run of workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run.runId);
      expect(runs.length).toBeGreaterThanOrEqual(count);
      return runs;
    }, 60_000);
  }

  return { ledger, deployments, steps, failed, observeEnd, onlyLetter, firing, redrive, answer, runsOf };
}
