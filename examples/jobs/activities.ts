/** The steps of an invoice run. Temporal may run a step more than once. */
export interface InvoiceActivities {
  /** Invoices due on a day, `YYYY-MM-DD`. */
  collectInvoices(day: string): Promise<string[]>;
  /** @param idempotencyKey for the bank, so that a repeated attempt charges only once */
  chargeCard(invoice: string, idempotencyKey: string): Promise<void>;
  sendReceipt(invoice: string): Promise<void>;
  writeReport(day: string, charged: number): Promise<void>;
}

/** The steps of a report over regions. */
export interface ReportActivities {
  listRegions(): Promise<string[]>;
  summarize(region: string): Promise<number>;
  publish(report: Record<string, number>): Promise<void>;
}

/** The steps of an order, and their compensations. Compensating a step that never ran does nothing. */
export interface OrderActivities {
  reserveStock(order: string): Promise<void>;
  releaseStock(order: string): Promise<void>;
  chargeOrder(order: string): Promise<void>;
  refundOrder(order: string): Promise<void>;
  ship(order: string): Promise<void>;
}

/** Destination of an order. */
export interface Delivery {
  order: string;
  address: string;
}

/** The steps of a delivery. */
export interface DeliveryActivities {
  pack(order: string): Promise<void>;
  /** @returns the courier's number */
  bookCourier(delivery: Delivery): Promise<string>;
}
