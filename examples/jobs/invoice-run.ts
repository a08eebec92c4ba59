import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { currentFiring } from 'escapement/workflow';
import type { InvoiceActivities } from './activities';

// Three to five attempts, with growing pauses: then a person has to look, and the firing becomes a dead letter.
const { collectInvoices, chargeCard, sendReceipt, writeReport } = proxyActivities<InvoiceActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 4 },
});

/** Charge what is due for the day that this run stands for, one invoice after the other, and report. */
export async function invoiceRun(): Promise<{ day: string; charged: number }> {
  const day = (currentFiring()?.scheduledTime ?? workflowInfo().startTime).toISOString().slice(0, 10);
  const invoices = await collectInvoices(day);
  for (const invoice of invoices) {
    // A step that Temporal tries again charges once: the key is the same at each attempt.
    await chargeCard(invoice, `${day} ${invoice}`);
    await sendReceipt(invoice);
  }
  await writeReport(day, invoices.length);
  return { day, charged: invoices.length };
}
