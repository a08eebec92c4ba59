import { defineSchedule } from 'escapement/define';
import type { Names } from './names';
import type { billUsage, exchangeRates, invoiceRun } from './workflows';

/** The three schedules of the demo. The compiler checks their arguments against the workflows. */
export function demoSchedules({ taskQueue, workflowIdPrefix }: Names) {
  return {
    /**
     * A job with several steps and at most one run at a time. An occurrence that is due while the last run is open is
     * skipped, with a reason.
     */
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
    /** Fires every five seconds. Each occurrence bills its own window, so none may be skipped. */
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
    /** A job with a step that fails and is retried by Temporal. */
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
