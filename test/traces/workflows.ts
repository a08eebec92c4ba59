import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setHandler,
} from '@temporalio/workflow';

/** What a workflow is told to do: end in some way, or continue in a new run. */
export const tell = defineSignal<[Order]>('tell');
export type Order = 'complete' | 'fail' | 'fail for now' | 'go on' | 'obey cancel';

/** Changes nothing. Sent as signal-with-start, it lets a workflow with a start delay begin at once. */
export const begin = defineSignal('begin');

/** Answers once the first task is done, from which on the chain can be reset. */
export const ready = defineQuery<boolean>('ready');

/** Runs until it is told what to do. */
export async function told(): Promise<void> {
  const orders = receiveOrders();
  await condition(() => orders.length > 0);
  await obey(orders.shift()!, told);
}

/** As {@link told}, but it ignores a cancellation unless told otherwise. */
export async function toldIgnoringCancel(): Promise<void> {
  const orders = receiveOrders();
  const order = await CancellationScope.nonCancellable(async () => {
    await condition(() => orders.length > 0);
    return orders.shift()!;
  });
  if (order === 'obey cancel') await CancellationScope.current().cancelRequested;
  await obey(order, toldIgnoringCancel);
}

function receiveOrders(): Order[] {
  const orders: Order[] = [];
  setHandler(tell, (order) => void orders.push(order));
  setHandler(begin, () => {});
  setHandler(ready, () => true);
  return orders;
}

async function obey(order: Order, again: () => Promise<void>): Promise<void> {
  // The retry policy says whether there is another run.
  if (order === 'fail for now') throw ApplicationFailure.retryable('it was told to fail for now');
  if (order === 'fail') throw ApplicationFailure.nonRetryable('it was told to fail');
  if (order === 'go on') await continueAsNew<typeof again>();
}
