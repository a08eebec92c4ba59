import { defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Delivery, DeliveryActivities } from './activities';

const { pack, bookCourier } = proxyActivities<DeliveryActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Corrects what the steps are given: of a parked step before its letter is redriven. */
export const correctDelivery = defineSignal<[Partial<Delivery>]>('correctDelivery');

/** Pack an order and send it off. On a worker that parks `bookCourier`, a wrong address waits for a person. */
export async function deliveryRun(given: Delivery): Promise<string> {
  const delivery = { ...given };
  // In place: a step that is redriven gets this very object once more, as it is by then.
  setHandler(correctDelivery, (correction) => void Object.assign(delivery, correction));
  await pack(delivery.order);
  return bookCourier(delivery);
}
