import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { type TestLedger, uniqueName } from '../ledger';
import { eventTypes, Steps, type useParking } from './parking';

/** Helpers for parked workflows, and for a failover that loses a part of what the ledger knows of them. */
export function useLostLetters(ledger: () => TestLedger, parking: ReturnType<typeof useParking>) {
  /** An order that is parked at its first step, and its worker, which a test may stop. */
  async function parkedOrder({ workflowType = 'order', letters = 1, args = ['A1'], worker = {} } = {}) {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard').add('sendMail');
    const work = () =>
      parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin({ park: 'all' })], ...worker });
    const { stop } = await work();
    const execution = await parking.fire(workflowType, taskQueue, args);
    await parking.letters(letters);
    await listedAsParking(execution);
    return { execution, steps, work, stop };
  }

  /** Wait until Temporal's list, which lags behind, has the execution as parked. */
  async function listedAsParking(execution: WorkflowHandle): Promise<void> {
    const { workflowId, runId } = await execution.describe();
    const query = `WorkflowId = '${workflowId}' AND RunId = '${runId}' AND TemporalChangeVersion = 'escapement-park'`;
    await expect.poll(async () => (await parking.client().workflow.count(query)).count, { timeout: 60_000 }).toBe(1);
  }

  /** Until the run has dealt with all that it was told. */
  async function settled(execution: WorkflowHandle): Promise<void> {
    await expect
      .poll(async () => (await eventTypes(execution)).at(-1), { timeout: 60_000 })
      .toMatch(/^(workflowTaskCompleted|markerRecorded|activityTaskScheduled)/);
  }

  const readLetters = () => ledger().query(`select * from escapement.dead_letters order by created_at, letter_id`);

  /** Run the statement `lose`, and let triggers detect a failover, after which they ask Temporal what is parked. */
  async function failOver(lose: string, options: Partial<TunedTriggerOptions> = {}, others = 0) {
    const trigger = await ledger().trigger(options);
    const triggers = [trigger];
    for (let other = 0; other < others; other++) triggers.push(await ledger().trigger(options));
    await ledger().query(lose);
    ledger().clock.advance(1_000);
    await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    const adopt = async () => {
      for (const { passes } of triggers) await passes.heartbeat();
      const all = triggers.map(async ({ passes }) => {
        // Temporal allows few lists a second.
        while (!(await passes.adopt()).complete) ledger().clock.advance(2_000);
      });
      await Promise.all(all);
      for (const { passes } of triggers) await passes.askParked();
    };
    await adopt();
    /** The triggers ask once more a minute later, since Temporal's list lags behind. */
    const aMinuteLater = async () => {
      ledger().clock.advance(60_000);
      await adopt();
    };
    return { trigger, aMinuteLater };
  }

  return { parkedOrder, listedAsParking, settled, readLetters, failOver };
}
