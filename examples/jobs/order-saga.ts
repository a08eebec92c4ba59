import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { OrderActivities } from './activities';

const { reserveStock, releaseStock, chargeOrder, refundOrder, ship } = proxyActivities<OrderActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Each step except the last has a compensation. If a step fails for good, they run in reverse order: a saga. */
export async function orderSaga(order: string): Promise<void> {
  const compensations: (() => Promise<void>)[] = [];
  try {
    // Register the compensation before the step runs, so that a half-finished step is compensated too.
    compensations.push(() => releaseStock(order));
    await reserveStock(order);
    compensations.push(() => refundOrder(order));
    await chargeOrder(order);
    await ship(order);
  } catch (error) {
    // Compensate also if the run is cancelled, such as by a soft time limit.
    await CancellationScope.nonCancellable(async () => {
      for (const compensate of compensations.reverse()) await compensate();
    });
    throw error;
  }
}
