import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { EscapementPlugin } from '../../plugin';
import { Steps, useParking } from '../support/failures/parking';
import { uniqueName, useLedger } from '../support/ledger';

/** Workers that are replaced by others, with the plugin or without it. */
export function usePluginDeploys() {
  const ledger = useLedger('2026-03-01T00:30:00Z');
  const parking = useParking(ledger);

  /** A task queue on which one build of workers after the other is deployed: with the plugin in its bundle, or without. */
  function deployments() {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    let retire = async () => {};
    const deploy = async (...plugins: EscapementPlugin[]) => {
      await retire();
      const { activities } = steps;
      const sticky = { stickyQueueScheduleToStartTimeout: '1 second' as const };
      const worker = await parking.work({ taskQueue, activities, plugins, ...sticky });
      retire = worker.stop;
    };
    return { taskQueue, steps, deploy };
  }

  async function redrive(execution: WorkflowHandle): Promise<void> {
    const [letter] = await ledger().query<{ letter_id: string }>(
      `select letter_id from escapement.dead_letters where workflow_id = $1 and state = 'open'`,
      [execution.workflowId],
    );
    await ledger().client.deadLetters.redrive(letter!.letter_id);
    const trigger = await ledger().trigger();
    expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  }

  return { parking, deployments, redrive };
}
