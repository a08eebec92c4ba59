import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import { proxyOf } from '../support/connections/proxy';
import { eventTypes, Steps, useParking } from '../support/failures/parking';
import { uniqueName, useLedger } from '../support/ledger';

interface Story {
  workflowType?: string;
  way?: 'at once' | 'timer';
  worker?: { patchActivationCallback?: (input: { patchId: string }) => boolean };
  decide: (execution: WorkflowHandle) => Promise<void>;
}

/** Parked steps that are asked for a letter which the ledger has lost. */
export function useAskedSteps() {
  const ledger = useLedger('2026-03-01T00:30:00Z');
  const parking = useParking(ledger);

  /**
   * An order whose one step is parked, and is asked for its letter, which the ledger has lost, while Postgres gives no answer. Then
   * the step is decided. As Postgres answers again, the run waits for its other step, which nobody takes up.
   */
  async function decidedWhileAsked(
    away: 'cut' | 'holdAnswers',
    { workflowType = 'both', way, worker, decide }: Story = { decide: redrive },
  ) {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(url.host);
    url.host = proxy.address;
    // A task that lasts is over sooner, and the next one brings the decision.
    const [taskQueue, mails] = [uniqueName('queue'), uniqueName('queue')];
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const plugins = [parking.plugin({ connectionString: url.href })];
    await parking.work({ taskQueue, activities: steps.activities, plugins, ...worker });
    const args = ['A1', mails, ...(way ? [way] : [])];
    const execution = await parking.fire(workflowType, taskQueue, args, { workflowTaskTimeout: '3 seconds' });
    await parking.letters(1);
    await expect.poll(() => ends(execution), { timeout: 60_000 }).toBe(1);
    await ledger().query('delete from escapement.dead_letters');
    const before = await scheduledSteps(execution);
    proxy[away]();
    await execution.signal('escapementPark', { decision: 'bury' });
    await expect.poll(() => isWorking(execution), { timeout: 60_000 }).toBe(true);
    steps.broken.clear();
    await decide(execution);
    await expect.poll(() => scheduledSteps(execution), { timeout: 60_000 }).toBe(before + 1);
    proxy.restore();
    await expect.poll(() => ends(execution), { timeout: 60_000 }).toBe(2);
    return { execution, mail: () => parking.work({ taskQueue: mails, activities: steps.activities }) };
  }

  const redrive = (execution: WorkflowHandle) => parking.decide(execution, { decision: 'redrive' });

  async function scheduledSteps(execution: WorkflowHandle): Promise<number> {
    return (await eventTypes(execution)).filter((type) => type === 'activityTaskScheduledEventAttributes').length;
  }

  /** How many local activities have ended for good: one parked the step, the other was asked for. */
  async function ends(execution: WorkflowHandle): Promise<number> {
    const { events } = await execution.fetchHistory();
    return (events ?? []).filter(({ markerRecordedEventAttributes: marker }) => {
      const [data] = marker?.details?.data?.payloads ?? [];
      return marker?.markerName === 'core_local_activity' && !JSON.parse(Buffer.from(data!.data!).toString()).backoff;
    }).length;
  }

  /** Whether something that the run had asked for was cancelled. */
  async function hasCancelled(execution: WorkflowHandle): Promise<boolean> {
    const { events } = await execution.fetchHistory();
    return (events ?? []).some(
      ({ markerRecordedEventAttributes: marker }) => marker?.failure?.canceledFailureInfo != null,
    );
  }

  /** Whether a worker has taken up the task of the last signal, which lasts while Postgres gives no answer. */
  async function isWorking(execution: WorkflowHandle): Promise<boolean> {
    const { events } = await execution.fetchHistory();
    return events?.at(-1)?.workflowTaskStartedEventAttributes != null;
  }

  const readLetters = () => ledger().query('select * from escapement.dead_letters');

  return { parking, redrive, decidedWhileAsked, hasCancelled, readLetters };
}
