interface Delivery {
  order: string;
  address: string;
}
declare const setHandler: typeof import('@temporalio/workflow').setHandler;
declare const correctDelivery: import('@temporalio/workflow').SignalDefinition<[Partial<Delivery>]>;
declare const bookCourier: (delivery: Delivery) => Promise<string>;
