import { defineSchedule } from 'escapement/define';
import type { invoiceRun, orderSaga, regionalReport } from './workflows';

const TASK_QUEUE = 'jobs';

/** Every night at two, Berlin time, with one run at a time. Missed runs start late, each for its own day. */
export const invoices = defineSchedule<typeof invoiceRun>({
  scheduleId: 'invoices',
  spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
  action: { type: 'startWorkflow', workflowType: 'invoiceRun', taskQueue: TASK_QUEUE },
  policies: { overlap: 'BUFFER_ALL' },
});

/** On the last day of each month. The workflow is asked to stop after an hour, so that it ends before the morning. */
export const report = defineSchedule<typeof regionalReport>({
  scheduleId: 'regional-report',
  spec: { cron: '0 22 L * *' },
  action: { type: 'startWorkflow', workflowType: 'regionalReport', taskQueue: TASK_QUEUE, softTimeout: '1 hour' },
});

/** A standing order, each Monday. If its workflow fails, the schedule is paused until a person unpauses it. */
export const standingOrder = defineSchedule<typeof orderSaga>({
  scheduleId: 'standing-order',
  spec: { cron: '0 6 * * 1' },
  action: { type: 'startWorkflow', workflowType: 'orderSaga', taskQueue: TASK_QUEUE, args: ['coffee'] },
  policies: { pauseOnFailure: true },
});
