import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { currentFiring } from 'escapement/workflow';
import type { InvoiceActivities } from './activities';

// Up to four attempts with growing pauses. If all fail, the firing gets a dead letter, and a person must look at it.
const { collectInvoices, chargeCard, sendReceipt, writeReport } = proxyActivities<InvoiceActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 4 },
});

/** Charge the invoices that are due on the day of this run, one after the other, and report. */
export async function invoiceRun(): Promise<{ day: string; charged: number }> {
  const day = (currentFiring()?.scheduledTime ?? workflowInfo().startTime).toISOString().slice(0, 10);
  const invoices = await collectInvoices(day);
  for (const invoice of invoices) {
    // The key is the same at each attempt, so a retried step charges only once.
    await chargeCard(invoice, `${day} ${invoice}`);
    await sendReceipt(invoice);
  }
  await writeReport(day, invoices.length);
  return { day, charged: invoices.length };
}
