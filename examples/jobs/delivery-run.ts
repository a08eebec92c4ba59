import { defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Delivery, DeliveryActivities } from './activities';

const { pack, bookCourier } = proxyActivities<DeliveryActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** Corrects the argument of `bookCourier`. Send it while that step is parked, and then redrive the step's letter. */
export const correctDelivery = defineSignal<[Partial<Delivery>]>('correctDelivery');

/** Pack an order and send it off. If the worker parks `bookCourier`, a wrong address waits for a person. */
export async function deliveryRun(given: Delivery): Promise<string> {
  const delivery = { ...given };
  // Change the object in place, since a redriven step gets the same object again.
  setHandler(correctDelivery, (correction) => void Object.assign(delivery, correction));
  await pack(delivery.order);
  return bookCourier(delivery);
}
