import { Steps, useParking } from '../support/failures/parking';
import { uniqueName, useLedger } from '../support/ledger';

/** Workers that park, and orders whose step is parked. */
export function useParkedOrders() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  const parking = useParking(ledger);

  /** An order whose card cannot be charged, on a worker that parks that step. */
  async function parkedOrder(workflowType = 'order') {
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const { stop } = await parking.work({ taskQueue, activities: steps.activities, plugins: [parking.plugin()] });
    const execution = await parking.fire(workflowType, taskQueue);
    const [letter] = await parking.letters(1);
    return { taskQueue, steps, execution, letter: letter!, stop };
  }

  return { ledger, parking, parkedOrder };
}
