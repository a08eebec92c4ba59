export { correctDelivery, deliveryRun } from './delivery-run';
export { invoiceRun } from './invoice-run';
export { orderSaga } from './order-saga';
export { regionalReport } from './regional-report';
