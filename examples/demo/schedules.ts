import { defineSchedule } from 'escapement/define';
import type { Names } from './names';
import type { billUsage, exchangeRates, invoiceRun } from './workflows';

/** The three schedules of the demo; the arguments are checked against the workflows. */
export function demoSchedules({ taskQueue, workflowIdPrefix }: Names) {
  return {
    /** A job of several steps. One at a time: a run that is due while the last one still runs is skipped, and says so. */
    invoiceRun: defineSchedule<typeof invoiceRun>({
      scheduleId: 'invoice-run',
      spec: { cron: '*/15 * * * * *' },
      action: {
        type: 'startWorkflow',
        workflowType: 'invoiceRun',
        workflowId: `${workflowIdPrefix}invoice-run`,
        taskQueue,
        args: [12],
      },
    }),
    /** Every five seconds. Each occurrence bills a window of its own, so none may be skipped for another. */
    billUsage: defineSchedule<typeof billUsage>({
      scheduleId: 'bill-usage',
      spec: { cron: '*/5 * * * * *' },
      action: {
        type: 'startWorkflow',
        workflowType: 'billUsage',
        workflowId: `${workflowIdPrefix}bill-usage`,
        taskQueue,
        args: [5],
      },
      policies: { overlap: 'ALLOW_ALL' },
    }),
    /** One whose step fails and is retried by Temporal. */
    exchangeRates: defineSchedule<typeof exchangeRates>({
      scheduleId: 'exchange-rates',
      spec: { cron: '*/10 * * * * *' },
      action: {
        type: 'startWorkflow',
        workflowType: 'exchangeRates',
        workflowId: `${workflowIdPrefix}exchange-rates`,
        taskQueue,
        args: [['USD', 'GBP', 'CHF']],
      },
    }),
  };
}

export type DemoSchedules = ReturnType<typeof demoSchedules>;
