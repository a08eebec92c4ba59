import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { OrderActivities } from './activities';

const { reserveStock, releaseStock, chargeOrder, refundOrder, ship } = proxyActivities<OrderActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Each step names what takes it back; when a later one fails for good, those are run in reverse: a saga. */
export async function orderSaga(order: string): Promise<void> {
  const compensations: (() => Promise<void>)[] = [];
  try {
    // Named before the step runs: one that failed half-way is taken back as well.
    compensations.push(() => releaseStock(order));
    await reserveStock(order);
    compensations.push(() => refundOrder(order));
    await chargeOrder(order);
    await ship(order);
  } catch (error) {
    // Also when the run is cancelled, such as by a soft time limit.
    await CancellationScope.nonCancellable(async () => {
      for (const compensate of compensations.reverse()) await compensate();
    });
    throw error;
  }
}
