import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { Trigger } from '../../../trigger';
import { eventTypes, Steps, useParking } from '../../support/failures/parking';
import { uniqueName, useLedger } from '../../support/ledger';

/** Orders that are parked, and triggers that redrive them. */
export function useParkedLetters() {
  const ledger = useLedger('2026-03-01T00:30:00Z');
  const parking = useParking(ledger);

  /** An order that is parked at its first step, and a trigger that looks after it. */
  async function parkedOrder(policies: Parameters<typeof parking.fire>[3] = {}) {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const execution = await parking.fire('order', taskQueue, ['A1'], policies);
    const [letter] = await parking.letters(1);
    const trigger = await ledger().trigger();
    return { steps, execution, letterId: letter!.letter_id as string, trigger };
  }

  /** One more workflow task, so that a reset to it keeps what came before. */
  async function endTask(execution: WorkflowHandle): Promise<void> {
    await execution.signal('nudge');
    await expect.poll(async () => (await eventTypes(execution)).at(-1)).toBe('workflowTaskCompletedEventAttributes');
  }

  async function observed(trigger: Trigger, letterId: string) {
    ledger().clock.advance(60_000);
    await trigger.passes.observe();
    return ledger().client.deadLetters.get(letterId);
  }

  return { ledger, parking, parkedOrder, endTask, observed };
}
