import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { currentFiring } from 'escapement/workflow';
import type { createActivities } from './activities';

type Activities = ReturnType<typeof createActivities>;

const {
  collectInvoices,
  emailReceipts,
  reportRun,
  billUsage: writeInvoices,
  storeRates,
} = proxyActivities<Activities>({ startToCloseTimeout: '10 seconds' });
/** The long step: if it sends no heartbeat for five seconds, its worker counts as gone. */
const { chargeInvoices } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
});
/** Fails at first: see rates-provider.ts. */
const { fetchRates } = proxyActivities<Activities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2 },
});

/** Collect what is unpaid, charge it, send receipts and report. */
export async function invoiceRun(invoicesAtMost: number): Promise<{ invoices: number; totalCents: number }> {
  const run = nominalTime();
  const invoices = await collectInvoices(run, invoicesAtMost);
  await chargeInvoices(invoices);
  await emailReceipts(run, invoices);
  return reportRun(run);
}

/** Write invoices for the usage in the window that ends at the nominal time, no matter how late this runs. */
export async function billUsage(windowSeconds: number): Promise<number> {
  return writeInvoices(nominalTime(), windowSeconds);
}

/** Fetch and store exchange rates from a provider that fails at first. */
export async function exchangeRates(currencies: string[]): Promise<Record<string, number>> {
  const at = nominalTime();
  const rates = await fetchRates(at, currencies);
  await storeRates(at, rates);
  return rates;
}

/** The instant that this run is for: the occurrence of its schedule, or its start if a person started it. */
function nominalTime(): string {
  return (currentFiring()?.scheduledTime ?? workflowInfo().startTime).toISOString();
}
